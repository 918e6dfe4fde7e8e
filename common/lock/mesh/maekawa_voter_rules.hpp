// The rules of BasicMaekawa: the voter, which has one vote. Part of maekawa_rules.hpp.
#pragma once

#include <algorithm>

#include "common/lock/mesh/logical_time.hpp"
#include "common/lock/mesh/maekawa.hpp"

namespace fixkeep::lock {

template <class Rules>
void BasicMaekawa<Rules>::requested(const Request& request, LockActions& out) {
  clock_ = std::max(clock_, request.first);
  const auto candidate = request.second;
  if (vote_ == request) {
    send_vote(out);  // it lost our vote with the link
    return;
  }
  std::erase_if(queue_, [&](const Request& other) { return other.second == candidate; });
  const auto first = queue_.empty() ? std::optional<Request>{} : *queue_.begin();
  queue_.insert(request);
  if (!remembers_) {
    send(candidate, MaekawaKind::failed, request.first, out);
    return;
  }
  if (!vote_ || !Rules::one_vote) {
    vote_for_the_first(out);
    return;
  }
  if (request > *vote_ || (first && request > *first)) {
    send(candidate, MaekawaKind::failed, request.first, out);
    return;
  }
  // It is better than all others: the candidate that was first in the queue must not hope any more.
  if (first && *first < *vote_) send(first->second, MaekawaKind::failed, first->first, out);
  if (!inquired_) send(vote_->second, MaekawaKind::inquire, vote_->first, out);
  inquired_ = true;
}

template <class Rules>
void BasicMaekawa<Rules>::released(const Request& request, bool held, LockActions& out) {
  queue_.erase(request);
  if (vote_ != request) return;
  vote_ends(true);
  if (held) lapsed_ = false;
  vote_for_the_first(out);
}

template <class Rules>
void BasicMaekawa<Rules>::relinquished(const Request& request, LockActions& out) {
  if (vote_ != request) return;
  vote_ends(true);
  queue_.insert(request);  // it counts as told FAILED: it knows that it is without our vote
  vote_for_the_first(out);
}

// What a Hello says of the peer's request replaces all that we knew of it.
template <class Rules>
void BasicMaekawa<Rules>::heard_of(MasterId peer, const std::optional<LockMessage>& hello,
                                   LockActions& out) {
  std::erase_if(queue_, [&](const Request& request) { return request.second == peer; });
  const auto kind = hello ? static_cast<MaekawaKind>(hello->kind) : MaekawaKind{};
  const Request request{hello ? hello->round : 0, peer};
  const bool known =
      request.first <= largest_time && (kind == MaekawaKind::request || kind == MaekawaKind::held);
  if (known) clock_ = std::max(clock_, request.first);
  if (vote_ && vote_->second == peer) {
    vote_lapses_ = never;
    if (!known || *vote_ != request) vote_ends(false);  // its release did not reach us
  }
  if (known && kind == MaekawaKind::request) requested(request, out);
  // A holder has our vote. If another master has it, we are not in the holder's quorum.
  if (known && kind == MaekawaKind::held && !vote_) vote_ = request;
  vote_for_the_first(out);
}

template <class Rules>
void BasicMaekawa<Rules>::vote_for_the_first(LockActions& out) {
  if (!remembers_ || queue_.empty() || (vote_ && Rules::one_vote)) return;
  vote_ = *queue_.begin();
  queue_.erase(queue_.begin());
  send_vote(out);
}

template <class Rules>
void BasicMaekawa<Rules>::send_vote(LockActions& out) {
  inquired_ = false;
  send(vote_->second, lapsed_ ? MaekawaKind::locked_after_lapse : MaekawaKind::locked, vote_->first,
       out);
  // A candidate with a better request than this one waits for its answer to INQUIRE.
  if (queue_.empty() || *vote_ < *queue_.begin()) return;
  send(vote_->second, MaekawaKind::inquire, vote_->first, out);
  inquired_ = true;
}

template <class Rules>
void BasicMaekawa<Rules>::vote_ends(bool cleanly) {
  vote_.reset();
  inquired_ = false;
  vote_lapses_ = never;
  lapsed_ = lapsed_ || !cleanly;
}

}  // namespace fixkeep::lock
