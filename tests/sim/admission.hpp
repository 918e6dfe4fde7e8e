// Judges the doors of the rooms: a seat that was answered and has not expired admits its player.
//
// A seat lasts from the answer of the master for as long as the answer says. Whoever comes within
// that time is let in, unless the seat is excused:
//   - its game crashed or fell silent, or its worker crashed,
//   - the same player has played there since and left, which uses the seat up, unless seats are
//     kept for those who come back; a worker that is late hears of it as late as that,
//   - the player asked later for another seat of the mode, and that one was granted.
// A hang-up on another request, a sleeping master or somebody else's party excuses nothing.
// Thread rule: one owner. Errors: Violation. Bounds: none; the run ends.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/sim/cluster.hpp"

namespace fixkeep::sim {

// What a client was told, and when the request was made that it answers.
struct SeatAnswer {
  RoomId room;
  GroupKey group;
  SimTime asked_at{};
  SimTime answered_at{};
  Duration reserved_for{};
  bool kept = false;  // it comes back: the time counts from when the worker heard that it had left
};

class Admission {
 public:
  explicit Admission(const Options& options) : options_(options) {}

  // --- what happens, as far as it excuses anything
  void asked(const wire::Claim& claim, const GroupKey& group, SimTime now);
  void worker_stepped(WorkerNode& worker, const worker::Actions& actions, SimTime now);
  void game_crashed(const RoomId& room) { crashed_.insert(room); }
  void player_left(const RoomId& room, const PlayerId& player, SimTime now);
  // When its worker heard so the last time; the begin of the run, if it has not.
  [[nodiscard]] SimTime left_at(const RoomId& room, const PlayerId& player) const;

  // --- at the door; these throw unless the seat has expired or is excused
  void turned_away(const SeatAnswer& answer, const PlayerId& player, SimTime now) const;
  void no_game(const SeatAnswer& answer, const PlayerId& player, SimTime now) const;

 private:
  struct Seating {
    RoomId room;
    GroupKey group;
    SimTime at{};
  };
  struct Asking {
    GroupKey group;
    SimTime at{};
  };

  [[nodiscard]] bool excused(const SeatAnswer& answer, const PlayerId& player, SimTime now) const;
  [[nodiscard]] bool expired(const SeatAnswer& answer, const PlayerId& player, SimTime now) const;
  [[nodiscard]] bool moved_on(const SeatAnswer& answer, const PlayerId& player) const;
  [[nodiscard]] std::string text_of(const SeatAnswer& answer, const PlayerId& player,
                                    SimTime now) const;
  void seated(const RoomId& room, const GroupKey& group, const std::vector<PlayerId>& players,
              SimTime now);

  const Options& options_;
  std::map<PlayerId, std::vector<Asking>> askings_;
  std::map<PlayerId, std::vector<Seating>> seatings_;  // each first seat in a room
  std::map<std::pair<RoomId, PlayerId>, SimTime> left_;
  std::set<RoomId> crashed_;
};

}  // namespace fixkeep::sim
