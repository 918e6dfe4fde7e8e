#include "tests/sim/token_judge.hpp"

#include <algorithm>

#include "tests/sim/violation.hpp"

namespace fixkeep::sim {
void TokenJudge::granted(const MasterNode& master, const GroupKey& group, FencingToken token,
                         Duration since) {
  if (!options_.checks.tokens || options_.strategy == "none") return;
  FencingToken& newest = newest_[group];
  if (options_.tokens_grow() && token <= newest) {
    throw Violation::safety("the token of " + group.text() + " does not grow: " + text_of(token) +
                            " after " + text_of(newest));
  }
  newest = std::max(newest, token);
  // The lock does not know what a hold used whose lease ran out; the next one may be granted that,
  // and has to go above it before it orders.
  holds_.try_emplace({group, token, master.incarnation}, since);
}

void TokenJudge::lapsed(const MasterNode& master, const GroupKey& group, FencingToken told) {
  FencingToken& newest = newest_[group];
  if (newest.master == master.id) newest = std::min(newest, told);
}

void TokenJudge::ordered(const MasterNode& master, const wire::SpawnRoom& order, Duration since) {
  if (!options_.checks.tokens || options_.strategy == "none") return;
  // A hold that was told of a higher token by a fence goes on with one that is higher still.
  FencingToken& newest = newest_[order.group];
  newest = std::max(newest, order.creation.token);
  used(master, order.group, order.creation.token, since);
}

void TokenJudge::used(const MasterNode& master, const GroupKey& group, FencingToken token,
                      Duration since) {
  const auto [use, fresh] = holds_.try_emplace({group, token, master.incarnation}, since);
  if (fresh || use->second == since) return;
  throw Violation::safety(to_string(master.id) + " uses the token " + text_of(token) + " of " +
                          group.text() + " for a second hold");
}

void TokenJudge::room_made(const WorkerNode& worker, RoomNumber room, const GroupKey& group,
                           const CreationId& creation) {
  if (!options_.checks.creations) return;
  const std::string name = worker.id.text() + " #" + std::to_string(room.number());
  const auto [made, fresh] = rooms_.try_emplace({group, creation}, name);
  if (fresh) return;
  throw Violation::safety("the creation id " + to_string(creation) + " of " + group.text() +
                          " makes " + name + " after " + made->second);
}

}  // namespace fixkeep::sim
