// Judges fencing tokens and creation ids over a whole run: over everything that masters and workers
// forget, and over a restart of all masters.
//
// Always: 1. a creation id makes at most one room of a group.
//         2. a token belongs to one hold of a group's lock, within one run of its master.
// Where the lock promises one holder at a time (Options::tokens_grow):
//         3. each grant of a group has a higher token than every grant before. When all masters
//            have gone at once, a grant may begin anew below what the workers have seen, since they
//            may not be back yet: the order then goes above it (1 and 2, and
//            token_growth.txt). A holder whose lease has lapsed tells nobody of the higher
//            token that its fence had ended with; workers refuse a grant below it.
// Thread rule: one owner. Errors: Violation. Bounds: none; the run ends.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "tests/sim/cluster.hpp"

namespace fixkeep::sim {

class TokenJudge {
 public:
  explicit TokenJudge(const Options& options) : options_(options) {}

  // `since` tells the holds of one master apart.
  void granted(const MasterNode& master, const GroupKey& group, FencingToken token, Duration since);
  void ordered(const MasterNode& master, const wire::SpawnRoom& order, Duration since);
  // The lease of a holder, with the token that the others know now.
  void lapsed(const MasterNode& master, const GroupKey& group, FencingToken told);
  // A new room, or a warm one that is given to a group by the order.
  void room_made(const WorkerNode& worker, RoomNumber room, const GroupKey& group,
                 const CreationId& creation);
  void all_masters_gone() { newest_.clear(); }

 private:
  using Use = std::tuple<GroupKey, FencingToken, Incarnation>;
  void used(const MasterNode& master, const GroupKey& group, FencingToken token, Duration since);

  const Options& options_;
  std::map<GroupKey, FencingToken> newest_;
  std::map<Use, Duration> holds_;
  std::map<std::pair<GroupKey, CreationId>, std::string> rooms_;
};

}  // namespace fixkeep::sim
