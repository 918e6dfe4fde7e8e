#include "master/http/operate/routes.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/percent.hpp"
#include "common/obs/log.hpp"
#include "common/wire/limits.hpp"
#include "master/core/directory/directory.hpp"

namespace fixkeep::master {
namespace {

void carry(const ApiCall& call, const WorkerId& worker, wire::OperatorCall&& wanted) {
  if (wanted.body.size() > wire::limits::call_body_bytes ||
      wanted.target.size() > wire::limits::call_target_bytes) {
    return call.answer(net::problem(400, "invalid-request", "The request is too long",
                                    "the body may be empty or {\"most_ms\": N}"));
  }
  if (wanted.changes) {
    obs::log_info("operator's call", {{"worker", worker.text()},
                                      {"call", wanted.target},
                                      {"from", call.responder.client().to_string()}});
  }
  call.workers.ask(worker, std::move(wanted), call.responder);
}

// Returns the room that the call names. If this master does not know the room, answers the call.
std::optional<RoomId> room_of(const ApiCall& call) {
  const auto name = percent_decoded(call.parameters[0]);
  const auto id = name ? parse_room_id(*name) : std::nullopt;
  if (id && call.core.directory().find(*id) != nullptr) return id;
  call.answer(not_found("the room is closed, or was never there; GET /v1/rooms lists them"));
  return {};
}

void ask_about_room(const ApiCall& call, bool changes, std::string_view what, std::string body) {
  if (const auto room = room_of(call)) {
    carry(call, room->worker,
          {.changes = changes,
           .target = "/v1/rooms/" + to_string(*room) + std::string{what},
           .body = std::move(body)});
  }
}

void drain_room(const ApiCall& call) {
  ask_about_room(call, true, "/drain", call.request.body());
}

void close_room(const ApiCall& call) {
  if (!call.request.body().empty()) {
    return call.answer(net::problem(400, "invalid-request", "The body is not valid",
                                    "it is empty; to give players time use drain"));
  }
  ask_about_room(call, true, "/drain", R"({"most_ms":0})");
}

// Does not look for the room in the directory: operators mostly want the log of a room that has
// just closed, and the directory no longer contains this room.
void read_log(const ApiCall& call) {
  const auto name = percent_decoded(call.parameters[0]);
  const auto room = name ? parse_room_id(*name) : std::nullopt;
  if (!room) return call.answer(not_found("the room id is not valid; GET /v1/rooms lists them"));
  carry(call, room->worker, {.target = "/v1/rooms/" + to_string(*room) + "/log", .body = {}});
}

void ask_worker(const ApiCall& call, std::string_view target) {
  const auto name = percent_decoded(call.parameters[0]);
  if (!name || call.core.directory().find(WorkerId{*name}) == nullptr) {
    return call.answer(not_found("no worker of this name has a link; GET /v1/workers lists them"));
  }
  carry(call, WorkerId{*name},
        {.changes = true, .target = std::string{target}, .body = call.request.body()});
}

void drain_worker(const ApiCall& call) {
  ask_worker(call, "/v1/drain");
}

void resume_worker(const ApiCall& call) {
  ask_worker(call, "/v1/resume");
}

}  // namespace

const net::Routes<ApiHandler>& operate_routes() {
  static const net::Routes<ApiHandler> table{
      {"POST", "/v1/rooms/{room}/drain", drain_room},
      {"POST", "/v1/rooms/{room}/close", close_room},
      {net::read_methods, "/v1/rooms/{room}/log", read_log},
      {"POST", "/v1/workers/{worker}/drain", drain_worker},
      {"POST", "/v1/workers/{worker}/resume", resume_worker},
  };
  return table;
}

}  // namespace fixkeep::master
