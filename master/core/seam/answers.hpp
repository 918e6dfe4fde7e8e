// Actions that tell what becomes of a match request; events.hpp lists all actions.
//
// Thread rule: values. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/wire/room_place.hpp"
#include "master/core/seam/why_waits.hpp"

namespace fixkeep::master {

struct Matched {  // news: the ticket has seats in a starting room, or has lost them again
  TicketId ticket;
  bool has_seats = false;
};
struct Seated {
  TicketId ticket;
  RoomId room;
  GroupKey group;
  SeatRoot seat_root{};           // seat root of the room's worker
  wire::RoomPlace place;          // its host is never empty
  std::vector<PlayerId> players;  // the claim's player first, then the party
  Duration reserved_for{};        // time left to connect
  // The team of each of `players`; an empty text: unknown. No texts: the rules have no teams.
  std::vector<std::string> teams{};

  [[nodiscard]] std::string_view team(std::size_t player) const {
    return teams.empty() ? std::string_view{} : std::string_view{teams.at(player)};
  }
};
enum class Refusal : std::uint8_t {
  not_joined,        // no contact to the other masters yet; ask another master, or retry later
  queue_full,        // too many requests wait already
  no_capacity,       // no worker could start a room in time
  boot_failed,       // rooms were started for this request, but none opened
  wait_timeout,      // the deadline passed for any other reason
  lock_timeout,      // the group's lock was not granted in time
  lock_unavailable,  // the lock server is unreachable
  too_many_rooms,    // too many rooms are starting because of this client's requests
  party_too_large,   // the party has more players than a room has seats
  already_seated,    // a player has a seat in another room, or will soon get one
  stopping,          // this master shuts down
  room_full,         // the requested room has no seats for the claim
  room_closed,       // the requested room is gone or accepts no players of this mode and group
  worker_away,       // the requested room's worker has no link to this master
  match_differs,     // the match of this id was made with another body
  match_ended,       // the room of the match has ended, or accepts no players
};
struct Refused {
  TicketId ticket;
  Refusal reason = Refusal::wait_timeout;
  Duration retry_after{};
  std::optional<WhyWaits> why{};    // explanation of a wait_timeout in a pool
  std::vector<PlayerId> players{};  // already_seated: the players that have or await another seat
};
struct SeatsGivenBack {  // the room's worker has ended the reservations
  TicketId ticket;
};

}  // namespace fixkeep::master
