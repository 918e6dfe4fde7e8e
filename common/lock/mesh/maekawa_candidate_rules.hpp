// The rules of BasicMaekawa: the candidate, which collects the votes of its quorum. Part of
// maekawa_rules.hpp.
#pragma once

#include "common/base/assert.hpp"
#include "common/lock/mesh/logical_time.hpp"
#include "common/lock/mesh/maekawa.hpp"
#include "common/lock/mesh/quorum.hpp"

namespace fixkeep::lock {

template <class Rules>
void BasicMaekawa<Rules>::on(const Acquire&, TimePoint, LockActions& out) {
  FIXKEEP_ASSERT(state_ == State::none, state());
  state_ = State::joining;
  ask_if_joined(out);
}

template <class Rules>
void BasicMaekawa<Rules>::ask_if_joined(LockActions& out) {
  if (state_ != State::joining || !mesh_.joined()) return;
  state_ = State::asking;
  time_ = ++clock_;
  told_ = {mesh_.self};
  send(mesh_.self, MaekawaKind::request, time_, out);
  if (kind_ == Quorum::majority) {
    ask_for_majority(out);
    return;
  }
  auto all = mesh_.configured;
  all.insert(mesh_.self);
  for (const auto voter : grid_quorum(all, mesh_.self)) {
    // A peer that is not connected now hears of our request in our Hello.
    if (voter == mesh_.self || !mesh_.connected.contains(voter)) continue;
    told_.insert(voter);
    send(voter, MaekawaKind::request, time_, out);
  }
}

// Asks the next ones of the ring, until a majority has been told.
template <class Rules>
void BasicMaekawa<Rules>::ask_for_majority(LockActions& out) {
  const auto need = majority(mesh_.configured.size() + 1);
  const auto& peers = mesh_.connected;
  auto next = peers.upper_bound(mesh_.self);
  for (std::size_t seen = 0; seen < peers.size() && told_.size() < need; ++seen) {
    if (next == peers.end()) next = peers.begin();
    if (told_.insert(*next).second) send(*next, MaekawaKind::request, time_, out);
    ++next;
  }
}

template <class Rules>
bool BasicMaekawa<Rules>::has_its_quorum() const {
  if (kind_ == Quorum::majority) return voted_.size() >= majority(mesh_.configured.size() + 1);
  auto all = mesh_.configured;
  all.insert(mesh_.self);
  const auto quorum = grid_quorum(all, mesh_.self);
  return std::includes(voted_.begin(), voted_.end(), quorum.begin(), quorum.end());
}

template <class Rules>
void BasicMaekawa<Rules>::locked_by(MasterId voter, bool after_lapse, LockActions& out) {
  voted_.insert(voter);
  refused_.erase(voter);
  after_lapse_ = after_lapse_ || after_lapse;
  if (!has_its_quorum()) return;
  state_ = State::acquired;
  want_back_.clear();
  auto granted = mesh_.grant();
  granted.needs_fence = granted.needs_fence || after_lapse_;
  out.emplace_back(std::move(granted));
}

template <class Rules>
void BasicMaekawa<Rules>::inquired_by(MasterId voter, LockActions& out) {
  if (!voted_.contains(voter)) return;
  want_back_.insert(voter);
  if (refused_.empty()) return;  // we may still get them all
  for (const auto each : want_back_) {
    voted_.erase(each);
    refused_.insert(each);
    send(each, MaekawaKind::relinquish, time_, out);
  }
  want_back_.clear();
}

template <class Rules>
void BasicMaekawa<Rules>::failed_by(MasterId voter, LockActions& out) {
  refused_.insert(voter);
  if (!want_back_.empty()) inquired_by(*want_back_.begin(), out);
}

template <class Rules>
void BasicMaekawa<Rules>::on(const Abandon&, TimePoint, LockActions& out) {
  FIXKEEP_ASSERT(state_ != State::acquired, state());
  give_up(MaekawaKind::withdraw, out);
}

template <class Rules>
void BasicMaekawa<Rules>::on(const Release& release, TimePoint, LockActions& out) {
  FIXKEEP_ASSERT(state_ == State::acquired, state());
  mesh_.learn(release.token, release.value);
  give_up(MaekawaKind::release, out);
}

template <class Rules>
void BasicMaekawa<Rules>::give_up(MaekawaKind how, LockActions& out) {
  for (const auto voter : told_) send(voter, how, time_, out);
  state_ = State::none;
  told_.clear();
  voted_.clear();
  refused_.clear();
  want_back_.clear();
  after_lapse_ = false;
}

}  // namespace fixkeep::lock
