// The judge: was the run right? Counts from outside by the words of players and masters.
//
// What is counted:
// - rooms: what the workers say they have started or the distinct rooms seen if that is more (a
//   restarted worker counts from zero). Rooms that were there before also count if players of ours
//   came to them.
// - ideal_rooms: the rooms that were there and that players came to, and for each group ⌈(players −
//   free seats that the group's rooms had before) / capacity⌉. Rooms that were empty before the run
//   may close before anybody uses them: their seats count only if a player came. With leaving
//   (churn) it is the need of the fullest moment of each group: ⌈most players inside at once /
//   capacity⌉. This is a lower bound because rooms come and go.
// - duplicate_rooms, without leaving (burst, poisson): Σ over groups of max(0, rooms − ideal). A
//   room started but never seen in any sample is a duplicate unless some group is short of rooms.
// - duplicate_rooms, with leaving (churn): only what the samples prove. A room R is a duplicate if
//   another room Q of its group took players when R was seen and at a sample at least `window_ms`
//   before R was first seen. At that sample Q had more free seats than the group had requests that
//   could have filled it until R was seen. These were issued before R was seen and answered no
//   earlier than `window_ms` before that sample. Q cannot have been full in between: no order for R
//   was justified. It is a lower bound: nothing is counted that might have been right.
// - overbooked_seats: the sum over rooms of the larger of (players of ours in it at one time −
//   capacity) and (seats taken in any sample − capacity) if positive.
// - leaked_seats: seats taken by the view at rest of the worst master that no player of ours holds
//   and that were not taken before the run. The larger of: with everyone in; all gone.
// - uncounted_seats: the reverse: players in a room with a seat that the masters believe free.
// - misplaced: players that share a room with a player of another group.
// - lost, refused: as in Fate. Players that got a seat and are not_let_in (as in Door): turned_away
//   and answered_late are the cluster's doing; also came_late and unreachable. errors is the sum of
//   all six.
//
// Fault model: no other client uses the cluster under test during the run. Otherwise duplicates may
// be blamed on it (compare starts a cluster of its own). A master that does not answer at the end
// is not judged.
// Thread rule: a pure function.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "client-sim/load/observation.hpp"
#include "common/base/percentiles.hpp"

namespace fixkeep::client_sim {

struct RoomFill {
  std::string group_key;
  std::uint32_t inside = 0;
  std::uint32_t capacity = 0;
};

struct Verdict {
  std::uint64_t rooms = 0;
  std::uint64_t ideal_rooms = 0;
  std::uint64_t duplicate_rooms = 0;
  std::uint64_t seated = 0;
  std::uint64_t connected = 0;
  std::uint64_t errors = 0;
  std::uint64_t lost = 0;
  std::uint64_t refused = 0;
  std::uint64_t turned_away = 0;
  std::uint64_t answered_late = 0;
  std::uint64_t came_late = 0;
  std::uint64_t unreachable = 0;
  std::uint64_t dropped = 0;
  std::uint64_t misplaced = 0;
  std::uint64_t retries = 0;
  std::uint64_t overbooked_seats = 0;
  std::uint64_t leaked_seats = 0;
  std::uint64_t uncounted_seats = 0;
  std::uint64_t orphaned_processes = 0;
  std::uint64_t masters_silent = 0;  // did not answer when the run was over
  double mean_fill = 0;              // used rooms at their fullest: 0-1
  Percentiles match_ms;              // all players that got a seat
  std::vector<double> match_times;   // all of these times
  std::vector<RoomFill> fills;       // every counted room at its fullest; by group, fullest first
  Percentiles own_lateness_ms;       // lateness of client-sim's own timers
  std::map<std::string, std::uint64_t> reasons;  // why players failed

  // Nothing went wrong that no lock may let happen: no seat too many, no leaked seat and no lost
  // player. Every seat that was answered admitted its player.
  [[nodiscard]] bool sound() const {
    return overbooked_seats == 0 && leaked_seats == 0 && uncounted_seats == 0 && lost == 0 &&
           turned_away == 0 && answered_late == 0 && misplaced == 0 && orphaned_processes == 0;
  }
};

struct JudgeOptions {
  double window_ms = 500;    // longer than an order takes from its decision to all masters' views
  bool counts_rooms = true;  // false: how many are needed is not for the number of players to say
};

[[nodiscard]] Verdict judge(const Observation& seen, const JudgeOptions& options = {});

}  // namespace fixkeep::client_sim
