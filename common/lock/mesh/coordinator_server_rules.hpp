// The rules of BasicCoordinator: the coordinator, with its queue and its holders. Part of
// coordinator_rules.hpp.
#pragma once

#include <algorithm>

#include "common/lock/mesh/coordinator.hpp"

namespace fixkeep::lock {

template <class Rules>
void BasicCoordinator<Rules>::asked(MasterId peer, std::uint64_t round) {
  forget_question(peer);
  queue_.emplace_back(peer, round);
}

template <class Rules>
void BasicCoordinator<Rules>::holds(MasterId peer, std::uint64_t round, TimePoint now) {
  forget_question(peer);
  holders_[peer] = round;  // also if we do not know yet that we are the coordinator

  lease_ends_ = now + patience_;
}

template <class Rules>
void BasicCoordinator<Rules>::released_by(MasterId peer, std::uint64_t round) {
  std::erase(queue_, std::pair{peer, round});
  const auto holder = holders_.find(peer);
  if (holder != holders_.end() && holder->second == round) {
    holders_.erase(holder);
    remembers_ = true;
  }
  if (holders_.empty()) lease_ends_.reset();
}

// It holds no more, or cannot, and has not said how it ended.
template <class Rules>
void BasicCoordinator<Rules>::vanished(MasterId peer) {
  if (holders_.erase(peer) == 0) return;
  if (holders_.empty()) lease_ends_.reset();
  if (!coordinates()) return;  // it told us in its Hello; it releases elsewhere
  mesh_.value.stamp = mesh_.highest;
  mesh_.value.uncertain = true;
}

template <class Rules>
void BasicCoordinator<Rules>::forget_question(MasterId peer) {
  std::erase_if(queue_, [peer](const auto& entry) { return entry.first == peer; });
}

template <class Rules>
void BasicCoordinator<Rules>::serve(TimePoint now, LockActions& out) {
  if (!coordinates() || !mesh_.joined() || queue_.empty() || !holders_.empty()) return;
  if (!knows_holders_ && !took_over_ && take_over_wait_ > Duration{0}) {
    took_over_ = now + take_over_wait_;
  }
  if (took_over_) return;
  knows_holders_ = true;
  const auto [client, round] = queue_.front();
  queue_.erase(queue_.begin());
  holders_[client] = round;
  if (client == mesh_.self) {
    acquire(!remembers_, now, out);
    return;
  }
  auto grant = mesh_.message(CoordinatorKind::grant, round);
  grant.value.uncertain = grant.value.uncertain || !remembers_;
  out.emplace_back(Send{client, std::move(grant)});
  // The token that it makes of ours; it may not live to tell us.
  mesh_.highest = token_after(mesh_.highest, client);
  lease_ends_ = now + patience_;
}

template <class Rules>
TimePoint BasicCoordinator<Rules>::next_timer() const {
  auto next = TimePoint::max();
  for (const auto& at : {took_over_, lease_ends_, renew_at_}) {
    if (at) next = std::min(next, *at);
  }
  return next;
}

template <class Rules>
void BasicCoordinator<Rules>::send(MasterId to, CoordinatorKind kind, std::uint64_t round,
                                   LockActions& out) const {
  const bool question = kind == CoordinatorKind::request || kind == CoordinatorKind::renew;
  out.emplace_back(Send{to, mesh_.message(kind, round, !question)});
}

}  // namespace fixkeep::lock
