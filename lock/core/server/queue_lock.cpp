#include "lock/core/server/queue_lock.hpp"

#include <algorithm>

namespace fixkeep::lock {

QueueOutput QueueLock::asked(const AskEngine& ask, bool session_open) {
  switch (ask.call) {
    case AskEngine::Call::acquire: return acquire(ask, session_open);
    case AskEngine::Call::abandon: return abandon(ask.round);
    case AskEngine::Call::release: return release(ask);
  }
  return {};
}

// If a request of an earlier round is outstanding, sends nothing before its answer. After enter or
// look, the new round takes over the abandoned round's entry and its place in the queue: the entry
// was never granted. After leave or release, ended() makes a new entry.
QueueOutput QueueLock::acquire(const AskEngine& ask, bool session_open) {
  wanted_ = ask.round;
  highest_ = std::max({highest_, ask.token.counter, ask.floor});
  if (phase_ != Phase::absent || !session_open) return {};
  return request(QueueRequest::enter, Phase::entering);
}

QueueOutput QueueLock::abandon(std::uint64_t round) {
  if (wanted_ != round) return {};
  wanted_.reset();
  switch (phase_) {
    case Phase::waiting:
    case Phase::held: return request(QueueRequest::leave, Phase::ending);
    case Phase::absent:
    case Phase::entering:
    case Phase::looking:
    case Phase::ending: return {};
  }
  return {};
}

QueueOutput QueueLock::release(const AskEngine& ask) {
  highest_ = std::max(highest_, ask.token.counter);
  if (phase_ != Phase::held || wanted_ != ask.round) return {};  // the lock was lost meanwhile
  wanted_.reset();
  record_.ticket = ticket_;
  if (highest_ > number_) record_.lift = std::max(record_.lift, highest_ - number_);
  record_.value = ask.value;
  return request(QueueRequest::release, Phase::ending);
}

QueueOutput QueueLock::placed(const QueueStanding& standing) {
  if (phase_ != Phase::entering && phase_ != Phase::looking) return {};
  if (!standing.present) {
    // An operator has deleted the entry by hand. A holder is not notified of such a deletion (see
    // the engines).
    phase_ = Phase::absent;
    if (!wanted_) return {};
    return request(QueueRequest::enter, Phase::entering);
  }
  if (phase_ == Phase::entering || standing.ticket != ticket_) before_ = standing.before;
  number_ = std::min(standing.number, largest_counter);
  ticket_ = standing.ticket;
  if (!wanted_) return request(QueueRequest::leave, Phase::ending);
  if (standing.oldest) return grant(standing);
  phase_ = Phase::waiting;
  return {};
}

QueueOutput QueueLock::grant(const QueueStanding& standing) {
  phase_ = Phase::held;
  const bool clean = standing.record && before_ != 0 && standing.record->ticket == before_ &&
                     !standing.record->value.uncertain;
  record_ = standing.record.value_or(LockRecord{});
  if (highest_ >= number_ + record_.lift) record_.lift = highest_ + 1 - number_;
  Granted granted{
      .token = {number_ + record_.lift, self_}, .value = record_.value, .needs_fence = !clean};
  highest_ = granted.token.counter;
  QueueOutput out;
  out.reply.emplace(EngineReply{*wanted_, std::move(granted)});
  return out;
}

QueueOutput QueueLock::ended() {
  if (phase_ != Phase::ending) return {};
  phase_ = Phase::absent;
  record_ = {};
  if (!wanted_) return {};
  return request(QueueRequest::enter, Phase::entering);
}

QueueOutput QueueLock::moved() {
  if (phase_ != Phase::waiting) return {};
  return request(QueueRequest::look, Phase::looking);
}

QueueOutput QueueLock::session_opened() {
  if (phase_ != Phase::absent || !wanted_) return {};
  return request(QueueRequest::enter, Phase::entering);
}

QueueOutput QueueLock::session_lost() {
  QueueOutput out;
  if (phase_ == Phase::held && wanted_) {
    out.reply.emplace(EngineReply{*wanted_, Lost{LostReason::engine_failure}});
    wanted_.reset();
  }
  phase_ = Phase::absent;
  record_ = {};
  return out;
}

QueueOutput QueueLock::request(QueueRequest asked, Phase next) {
  phase_ = next;
  QueueOutput out;
  out.request = asked;
  return out;
}

}  // namespace fixkeep::lock
