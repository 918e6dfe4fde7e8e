#include "worker/shell/drain_calls.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "common/base/percent.hpp"
#include "common/base/whole_number.hpp"

namespace fixkeep::worker {
namespace {

using nlohmann::ordered_json;
using Most = std::optional<Duration>;

net::HttpAnswer begun(const ordered_json& what, unsigned status = 202) {
  return {.status = status,
          .body = what.dump(-1, ' ', false, ordered_json::error_handler_t::replace)};
}

net::HttpAnswer nothing_of_this_name(std::string_view detail) {
  return net::problem(404, "not-found", "Not found", detail);
}

std::variant<Most, net::HttpAnswer> most_of(std::string_view body) {
  if (body.empty()) return Most{};
  const auto wrong = net::problem(400, "invalid-request", "The body is not valid",
                                  "it may be empty or {\"most_ms\": N}, with N from 0 to " +
                                      std::to_string(most_drain.count()));
  const auto document = ordered_json::parse(body, nullptr, false);
  if (!document.is_object()) return wrong;
  if (document.empty()) return Most{};
  const auto found = document.find("most_ms");
  if (document.size() != 1 || found == document.end() || !found->is_number()) return wrong;
  const auto most = whole_number(found->get<double>());
  if (!most || *most < 0 || *most > most_drain.count()) return wrong;
  return Most{std::chrono::milliseconds{*most}};
}

std::optional<ModeName> mode_of(const DrainCall& call) {
  const auto name = percent_decoded(call.parameters[0]);
  if (!name || !call.core.runs(ModeName{*name})) return std::nullopt;
  return ModeName{*name};
}

net::HttpAnswer no_such_mode() {
  return nothing_of_this_name("This worker does not run a mode of this name.");
}

// Counts the rooms for which `counts` is true. Skips the rooms that already drain.
std::size_t rooms_that(const RoomHost& core, auto counts) {
  const auto rooms = core.rooms();
  return static_cast<std::size_t>(
      std::count_if(rooms.begin(), rooms.end(), [&](const wire::RoomInfo& room) {
        return room.phase != wire::RoomPhase::draining && counts(room);
      }));
}

}  // namespace

net::HttpAnswer drain_room(const DrainCall& call) {
  const auto name = percent_decoded(call.parameters[0]);
  const auto id = name ? parse_room_id(*name) : std::nullopt;
  const auto room = id ? call.core.number_of(*id) : std::nullopt;
  if (!room) return nothing_of_this_name("This worker has no open room of this name.");
  auto most = most_of(call.body);
  if (auto* const wrong = std::get_if<net::HttpAnswer>(&most)) return std::move(*wrong);
  call.post(DrainAsked{.room = *room, .most = std::get<Most>(most)});
  return begun({{"room", *name}});
}

net::HttpAnswer drain_mode(const DrainCall& call) {
  const auto mode = mode_of(call);
  if (!mode) return no_such_mode();
  auto most = most_of(call.body);
  if (auto* const wrong = std::get_if<net::HttpAnswer>(&most)) return std::move(*wrong);
  const auto rooms =
      rooms_that(call.core, [&](const wire::RoomInfo& room) { return room.mode == *mode; });
  call.post(DrainModeAsked{.mode = *mode, .most = std::get<Most>(most)});
  return begun({{"mode", mode->text()}, {"rooms", rooms}});
}

net::HttpAnswer drain_all(const DrainCall& call) {
  auto most = most_of(call.body);
  if (auto* const wrong = std::get_if<net::HttpAnswer>(&most)) return std::move(*wrong);
  const auto rooms = rooms_that(call.core, [](const wire::RoomInfo&) { return true; });
  call.post(DrainAllAsked{.most = std::get<Most>(most), .then_stop = false});
  return begun({{"rooms", rooms}});
}

net::HttpAnswer resume_mode(const DrainCall& call) {
  const auto mode = mode_of(call);
  if (!mode) return no_such_mode();
  call.post(ResumeModeAsked{*mode});
  return begun({{"mode", mode->text()}});
}

net::HttpAnswer resume_all(const DrainCall& call) {
  call.post(ResumeAllAsked{});
  return begun(ordered_json::object());
}

}  // namespace fixkeep::worker
