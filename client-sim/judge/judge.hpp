// The judge decides whether a cluster behaved correctly in a run. It uses only the reports of
// players and masters.
//
// Counts:
// - rooms: the rooms that the workers report as started, or the distinct rooms seen, if this number
//   is larger (a restarted worker counts from zero). If players of this run entered a room from
//   before the run, this room counts too.
// - ideal_rooms: the rooms from before the run that players entered, plus for each group ⌈(players
//   − seats free in its rooms before the run) / capacity⌉. A room that was empty before the run may
//   close before a player uses it, so its seats count only if a player came. If players leave
//   (churn), each group adds only ⌈most players inside at one time / capacity⌉. This is a lower
//   bound, because rooms open and close.
// - duplicate_rooms, without leaving (burst, poisson): Σ over groups of max(0, rooms − ideal). A
//   room that was started but is in no sample is a duplicate, unless some group is short of rooms.
// - duplicate_rooms, with leaving (churn): only rooms with a proof in the samples. A room R is a
//   duplicate if another room Q of its group accepted players at two samples: the sample that first
//   saw R, and an earlier sample, at least `window_ms` before. At the earlier sample Q had more
//   free seats than the group had requests that could fill Q. Such a request was issued before R
//   was seen, and answered after the time `window_ms` before the earlier sample. Thus Q was never
//   full between the samples, and no order for R was justified. The count is a lower bound: rooms
//   that might be justified are not counted.
// - overbooked_seats: the sum over rooms of max(0, most − capacity). `most` is the larger of two
//   numbers: players of this run inside at one time, and seats taken in any sample.
// - leaked_seats: seats that a master at rest shows as taken, although no player of this run has
//   them. The largest number of all masters counts. Seats taken before the run are excluded. This
//   is checked two times: when all players are inside, and after all players have left. The larger
//   result counts.
// - uncounted_seats: the reverse of leaked_seats: players in a room whose seats the masters show as
//   free.
// - misplaced: the players in a room that do not belong to the room's largest group.
// - wrong_tokens: players that got a seat token for another player, room or team than the answer.
// - lost, refused: as in Fate.
// - turned_away, answered_late, came_late, unreachable: players that have a seat, but are
//   not_let_in (see Door). For the first two, the cluster is at fault.
// - errors: the sum of the previous six counts.
//
// Fault model: no other client uses the cluster under test during the run. The judge might count
// the rooms of another client as duplicates (`compare` starts its own cluster). A master that does
// not answer at the end is not judged.
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
  std::uint64_t wrong_tokens = 0;
  std::uint64_t retries = 0;
  std::uint64_t overbooked_seats = 0;
  std::uint64_t leaked_seats = 0;
  std::uint64_t uncounted_seats = 0;
  std::uint64_t orphaned_processes = 0;
  std::uint64_t masters_silent = 0;  // masters without an answer after the run
  double mean_fill = 0;              // mean of each used room's highest fill, 0 to 1
  Percentiles match_ms;              // over all players with a seat
  std::vector<double> match_times;   // match times of these players
  std::vector<RoomFill> fills;       // each counted room's highest fill; sorted by group, then fill
  Percentiles own_lateness_ms;       // lateness of client-sim's own timers
  std::map<std::string, std::uint64_t> reasons;  // players without a connection, by reason

  // Every lock must prevent certain faults. Returns true if none of these faults happened:
  // overbooked, leaked or uncounted seats; lost or misplaced players; players with a seat that were
  // turned away; wrong tokens; orphaned processes.
  [[nodiscard]] bool sound() const {
    return overbooked_seats == 0 && leaked_seats == 0 && uncounted_seats == 0 && lost == 0 &&
           turned_away == 0 && answered_late == 0 && misplaced == 0 && wrong_tokens == 0 &&
           orphaned_processes == 0;
  }
};

struct JudgeOptions {
  double window_ms = 500;    // longer than all masters need to learn of a decided order
  bool counts_rooms = true;  // false: the number of players does not say how many rooms are needed
};

[[nodiscard]] Verdict judge(const Observation& seen, const JudgeOptions& options = {});

}  // namespace fixkeep::client_sim
