// Judges the teams of rooms by what players heard in the answers to their requests.
//
// The judge looks at each order that made a room, if every claim of the order got its seat in this
// room. When the room started:
//
//   T1  all teams had equally many players.
//   T2  the teams' sums of the number differed by at most the limit of the rules.
//   T3  each claim heard the team that its master had told to the worker, which tells the game.
//
// A party has one answer, so it hears one team. Players that join later are not judged. Thread
// rule: a pure function. Bounds: `words_most` faults are described in words. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/base/ids.hpp"
#include "common/events/event.hpp"
#include "lab/pools/pool_judge.hpp"
#include "master/rules/plan/rules.hpp"

namespace fixkeep::client_sim {

struct HeardSeat {
  std::string room;  // to_string(RoomId)
  std::string team;  // empty: the answer named none
};
// The last answer with a seat to each player that sent a request.
using HeardSeats = std::map<PlayerId, HeardSeat>;

struct TeamBill {
  static constexpr std::size_t words_most = 40;

  std::uint64_t rooms = 0;    // judged rooms
  std::uint64_t unequal = 0;  // T1 or T2: rooms
  std::uint64_t unlike = 0;   // T3: rooms
  std::vector<std::string> words;
};

// REQUIRES: the rules have teams; `seen` is ordered by time (put_in_order).
[[nodiscard]] TeamBill judge_teams(const std::vector<events::Event>& seen,
                                   const master::plan::Rules& rules, const Brought& brought,
                                   const HeardSeats& heard);

}  // namespace fixkeep::client_sim
