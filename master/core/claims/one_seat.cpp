#include "master/core/claims/one_seat.hpp"

#include "master/core/directory/matches.hpp"
#include "master/core/groups/group.hpp"
#include "master/core/seam/each_player.hpp"

namespace fixkeep::master {

bool in_scope(const Waiting& waiting, const ModeName& mode, const GroupKey& group) {
  if (waiting.one_seat_per == SeatScope::group) return waiting.group->key == group;
  return waiting.group->rooms->mode == mode;
}

bool in_scope(const Directory& directory, const Waiting& waiting, const Room& room) {
  const Room* counts = room_of_match(directory, room.group);
  if (room.group == waiting.group->key && counts != nullptr && counts != &room) return false;
  return in_scope(waiting, room.mode, room.group);
}

SeatsOfPlayers seats_of_players(const Directory& directory, const Waiting& waiting) {
  SeatsOfPlayers seats;
  each_player(waiting.claim, [&](const PlayerId& player) {
    bool seated = false;
    bool here = false;
    directory.each_seat(player, [&](const Room& room) {
      if (!in_scope(directory, waiting, room)) return;
      seated = true;
      if (seats.own == nullptr && room.group == waiting.group->key) seats.own = &room;
      if (seats.own == &room) here = true;
    });
    seats.anywhere = seats.anywhere || seated;
    seats.elsewhere = seats.elsewhere || (seated && !here);
  });
  return seats;
}

bool counts_more(const Room& other, const Room& own) {
  if (other.ready()) return true;
  return !own.ready() && other.id < own.id;
}

const Room* better_seat(const Directory& directory, const Waiting& waiting, const Room& own) {
  const Room* better = nullptr;
  each_player(waiting.claim, [&](const PlayerId& player) {
    directory.each_seat(player, [&](const Room& room) {
      if (&room == &own || !in_scope(directory, waiting, room)) return;
      if (counts_more(room, own)) better = &room;
    });
  });
  return better;
}

}  // namespace fixkeep::master
