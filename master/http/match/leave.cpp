#include "master/http/match/leave.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "common/auth/seat_token.hpp"
#include "common/base/percent.hpp"
#include "common/wire/limits.hpp"
#include "master/core/directory/directory.hpp"
#include "master/http/problem_member.hpp"

namespace fixkeep::master {
namespace {

struct NamedSeat {
  std::string token;
  RoomId room;
  PlayerId player;
};

std::optional<NamedSeat> seat_named_by(std::string_view text) {
  auto token = percent_decoded(text);
  const auto claims = token ? auth::unverified_claims(*token) : std::nullopt;
  const auto room = claims ? parse_room_id(claims->room) : std::nullopt;
  if (!room || claims->player.text().size() > wire::limits::id_bytes) return {};
  return NamedSeat{std::move(*token), *room, claims->player};
}

bool is_signed(const NamedSeat& seat, const Worker& worker) {
  const auto key = auth::derive_room_key(worker.seat_root, seat.room);
  return auth::verify_seat(key, to_string(seat.room), seat.token, auth::WallTime::min())
      .has_value();
}

net::HttpAnswer worker_away() {
  return retry_in(1,
                  net::problem(503, "worker-away", "The room's worker has no link to this master",
                               "ask another master; an unused seat ends by itself"));
}

}  // namespace

void leave_seat(const ApiCall& call) {
  auto known =
      call.desk.intake().caller_of(call.request, call.responder.client(), call.context.now());
  if (auto* refusal = std::get_if<net::HttpAnswer>(&known)) return call.answer(std::move(*refusal));
  const Caller& caller = std::get<Caller>(known);
  const auto seat = seat_named_by(call.parameters[0]);
  if (!seat) {
    return call.answer(net::problem(400, "invalid-request", "The path has no valid seat token",
                                    "name the seat_token of an answer of POST /v1/match"));
  }
  if (!caller.may_name_others() && caller.player != seat->player) {
    return call.answer(net::problem(403, "other-player", "The seat is another player's",
                                    "send the token of the seat's player"));
  }
  const Worker* worker = call.core.directory().find(seat->room.worker);
  if (worker == nullptr || !worker->known) return call.answer(worker_away());
  if (is_signed(*seat, *worker)) {
    const Room* room = call.core.directory().find(seat->room);
    if (room != nullptr && !caller.is_for(room->mode)) {
      return call.answer(
          net::problem(403, "mode-forbidden", "The key is not for this mode",
                       "modes of the key in identity.keys must list the seat's mode"));
    }
    // The mode of an unknown room is unknown, so a key that is valid for only some modes must not
    // act here.
    if (room != nullptr || caller.is_for({})) {
      return call.desk.leave({{}, seat->room, {seat->player}}, call.responder);
    }
  }
  call.answer({.status = 204, .body = {}});
}

}  // namespace fixkeep::master
