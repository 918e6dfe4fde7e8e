#include <algorithm>

#include "master/core/matchmaker_impl.hpp"

namespace fixkeep::master {
namespace {

constexpr std::uint32_t most_fence_rounds = 8;
// Runs of workers that were waited for in vain. Beyond it all are forgotten, and waited for anew.
constexpr std::size_t most_given_up = 1024;
// After a lock or a fence that was not to be had: long against a round trip, short for a player.
constexpr Duration back_off = std::chrono::milliseconds{250};

}  // namespace

void Matchmaker::Impl::timer(TimePoint at, const Group& group) {
  timers_.emplace(at, group.key);
}

void Matchmaker::Impl::run_timers(Step& step) {
  while (!timers_.empty() && timers_.begin()->first <= step.now) {
    const auto group = groups_.find(timers_.begin()->second);
    if (group != groups_.end()) mark(group->second);
    timers_.erase(timers_.begin());
  }
}

// Whether there are claims that neither the rooms we know nor those we are asking have seats for.
bool Matchmaker::Impl::needs_room(const Group& group) const {
  if (group.queue.empty()) return false;
  if (group.queued_seats > group.seats_left) return true;
  // A party may need more than any one of the rooms being asked has left.
  const std::uint32_t seats = claims_.at(*group.queue.begin()).claim.seats();
  return std::none_of(group.asks.begin(), group.asks.end(), [&](std::uint64_t request) {
    return questions_.at(request).seats_left >= seats;
  });
}

void Matchmaker::Impl::sleep(Group& group) {
  group.no_capacity = true;
  // What has changed since a worker refused may be the very room that it had not then.
  const bool refused = group.hold && !group.hold->excluded.empty();
  group.slept_at = refused ? group.hold->excluded_at : directory_.capacity_generation();
  sleeping_.insert(group.key);
}

bool Matchmaker::Impl::want_lock(Group& group, Step& step) {
  if (stopping_ || !needs_room(group) || step.now < group.retry_at) return false;
  if (rooms_left(group) == 0) return false;  // looked at again when one of its rooms has news
  if (group.slept_at == directory_.capacity_generation() || !directory_.can_start(group.mode)) {
    sleep(group);
    return false;
  }
  group.lock = LockPhase::waiting;
  step.locks.emplace_back(AcquireLock{group.key});
  return false;
}

void Matchmaker::Impl::granted(LockGranted&& grant, Step& step) {
  const auto at = groups_.find(grant.group);
  if (at == groups_.end() || at->second.lock != LockPhase::waiting) {
    step.locks.emplace_back(ReleaseLock{grant.group, grant.token, grant.token, grant.fence,
                                        grant.uncertain || grant.needs_fence,
                                        std::move(grant.hints)});
    return;
  }
  Group& group = at->second;
  Hold& hold = group.hold.emplace();
  hold.number = ++last_hold_;
  hold.token = grant.token;
  hold.highest = grant.token;
  hold.basis = grant.fence;
  hold.fence_owed = grant.needs_fence || grant.uncertain || group.fence_owed;
  hold.links = directory_.links_generation();
  hold.limit = step.now + options_.hold;
  hold.settle_until = step.now + std::min(options_.join_grace, options_.hold / 2);
  group.lock = LockPhase::settling;
  group.lock_failed.reset();
  holding_.insert(group.key);
  directory_.forget_denials(group.key);
  for (const wire::RoomHint& hint : grant.hints) {
    const WorkerRun run{hint.room.worker, hint.room.incarnation};
    const Worker* worker = directory_.find(run.first);
    if (worker != nullptr && worker->known && worker->incarnation == run.second) {
      directory_.hint(group.key, hint);
    } else if (!directory_.run_over(run.first, run.second) && !given_up_.contains(run)) {
      // Also if another run of the worker is connected: that link may be a dead one, which only the
      // heartbeat will end, while other masters see the worker's next run already.
      hold.awaited.insert(run);
    }
  }
  timer(hold.limit, group);
  if (!hold.awaited.empty() || !expected_.empty()) timer(hold.settle_until, group);
  for (const auto& [worker, until] : expected_) timer(until, group);
  mark(group);
}

void Matchmaker::Impl::lost(const GroupKey& key, lock::LostReason reason, Step& step) {
  const auto at = groups_.find(key);
  if (at == groups_.end() || at->second.lock == LockPhase::idle) return;
  Group& group = at->second;
  if (group.lock == LockPhase::waiting) {
    group.lock_failed = reason;
    group.lock = LockPhase::idle;
  } else {
    // Orders that are out may still be answered; until the next fence nobody knows.
    if (group.hold->orders > 0 || group.hold->fence_owed) group.fence_owed = true;
    const FencingToken used = std::max(group.hold->token, group.hold->highest);
    used_counter_ = std::max(used_counter_, used.counter);
    hold_ends(group);
  }
  group.retry_at = step.now + back_off;
  timer(group.retry_at, group);
  mark(group);
}

void Matchmaker::Impl::hold_ends(Group& group) {
  forget_promises(group);
  timers_.erase({group.hold->limit, group.key});
  group.hold.reset();
  group.lock = LockPhase::idle;
  holding_.erase(group.key);
}

void Matchmaker::Impl::release(Group& group, Step& step) {
  Hold& hold = *group.hold;
  const bool uncertain = hold.lost || hold.orders > 0 || hold.fence_owed;
  group.fence_owed = uncertain;
  step.locks.emplace_back(ReleaseLock{group.key, std::max(hold.highest, hold.token), hold.token,
                                      hold.basis, uncertain, directory_.hints(group.key)});
  hold_ends(group);
  mark(group);
}

bool Matchmaker::Impl::settled(Group& group, Step& step) {
  Hold& hold = *group.hold;
  std::erase_if(hold.awaited, [&](const WorkerRun& run) {
    const Worker* known = directory_.find(run.first);
    // A link that was made after the grant knows better than a hint that was written before it.
    return known != nullptr && known->known &&
           (known->incarnation == run.second || known->link > hold.links);
  });
  std::erase_if(expected_, [&](const auto& entry) { return entry.second <= step.now; });
  if (step.now >= hold.settle_until) {
    if (given_up_.size() + hold.awaited.size() > most_given_up) given_up_.clear();
    given_up_.insert(hold.awaited.begin(), hold.awaited.end());
    hold.awaited.clear();
    return directory_.all_known();
  }
  return hold.awaited.empty() && expected_.empty() && directory_.all_known();
}

void Matchmaker::Impl::forget_promises(Group& group) {
  for (const std::uint64_t request : group.hold->fence.pending()) {
    if (questions_.erase(request) != 0) --group.questions;
  }
}

void Matchmaker::Impl::begin_fence(Group& group, Step& step) {
  Hold& hold = *group.hold;
  forget_promises(group);
  hold.highest = std::max({hold.highest, hold.fence.highest(), hold.token});
  if (hold.fence.begun() || hold.stale) ++counters_.fence_restarts;
  // Never the same counter twice: an order under the old token may be on its way, and no worker
  // promises a token that it has seen. Nor one of a life before this one, of which workers told.
  if (hold.fence.begun() || hold.stale || hold.next_index > 0 ||
      hold.token.counter <= used_counter_) {
    hold.highest.counter = std::max(hold.highest.counter, used_counter_);
    hold.token = token_after(hold.highest, options_.self);
    hold.highest = hold.token;
    hold.next_index = 0;
  }
  ++counters_.fences;
  ++hold.fence_rounds;
  hold.fence_owed = true;
  hold.stale = false;
  hold.tries = 0;
  hold.fence.begin(hold.token, directory_.links_generation());
  group.lock = LockPhase::fencing;
  for (const auto& [id, worker] : directory_.workers()) {
    if (!worker.known) continue;
    Question question;
    question.kind = QuestionKind::promise;
    question.group = &group;
    question.worker = id;
    question.hold = hold.number;
    question.expires = step.now + options_.worker_reply;
    const std::uint64_t request = put_question(std::move(question));
    hold.fence.sent(request);
    step.out.emplace_back(SendToWorker{id, wire::PrepareSpawn{request, group.key, hold.token}});
  }
}

bool Matchmaker::Impl::advance(Group& group, Step& step) {
  if (group.lock == LockPhase::idle) return want_lock(group, step);
  if (group.lock == LockPhase::waiting) {
    if (!group.nobody_waits()) return false;
    step.locks.emplace_back(AbandonLock{group.key});
    group.lock = LockPhase::idle;
    return false;
  }
  Hold& hold = *group.hold;
  const bool exhausted = hold.fence_rounds > most_fence_rounds;
  if (step.now >= hold.limit || exhausted || stopping_) {
    group.retry_at = step.now + back_off;
    timer(group.retry_at, group);
    release(group, step);
    return false;
  }
  if (group.lock == LockPhase::ordering) return orders_done(group, step);
  if (group.nobody_waits()) {
    release(group, step);
    return true;
  }
  if (!settled(group, step)) return false;
  if (!hold.fence.begun() && hold.links != directory_.links_generation()) {
    // A worker that has connected since the grant has promised nothing to anybody. Orders that went
    // out before used the token already.
    hold.fence_owed = true;
    hold.stale = hold.stale || hold.next_index > 0;
  }
  const bool void_fence = hold.fence.begun() && hold.fence.links() != directory_.links_generation();
  if (hold.stale || void_fence || (hold.fence_owed && !hold.fence.begun()) ||
      (hold.fence.all_answered() && hold.fence.refused())) {
    begin_fence(group, step);
    return true;
  }
  if (hold.fence.begun() && !hold.fence.complete()) return false;
  if (hold.fence.begun()) hold.basis = hold.token;
  hold.fence_owed = false;
  return try_again(group, step);
}

bool Matchmaker::Impl::try_again(Group& group, Step& step) {
  const Hold& hold = *group.hold;
  if (group.lock != LockPhase::trying) {
    group.lock = LockPhase::trying;
    return true;  // all waiting claims are placed once more before any order
  }
  if (!group.asks.empty()) return false;
  expire_tickets(step);  // no room for whom the next tick would refuse
  if (group.queue.empty()) {
    release(group, step);
    return true;
  }
  // Seats that come free one by one must not keep a holder from giving the lock on, and while there
  // are any it must not order: whoever is left asks for the lock once more.
  if (hold.tries >= most_tries && directory_.next_room(group.key, 1) != nullptr) {
    release(group, step);
    return true;
  }
  return order(group, step);
}

void Matchmaker::Impl::prepare_reply(const WorkerId& worker, wire::PrepareReply&& reply,
                                     Step& step) {
  // Its rooms are the truth, whatever has become of the round, also when the hold has ended and the
  // question is forgotten: the worker counts them as told and does not repeat them.
  for (const wire::RoomInfo& info : reply.rooms) {
    if (!learn_room(worker, info, step)) return;
  }
  const auto question = take_question(reply.request, worker, QuestionKind::promise);
  if (!question) return;
  Group& group = *question->group;
  if (group.hold && group.hold->number == question->hold) {
    group.hold->fence.answered(reply.request, reply.promised, reply.highest);
  }
}

}  // namespace fixkeep::master
