#include <algorithm>
#include <map>

#include "common/base/assert.hpp"
#include "master/core/matchmaker_impl.hpp"
#include "master/core/spawn_planner.hpp"

namespace fixkeep::master {
namespace {

constexpr std::uint32_t most_fence_rounds = 8;
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
  group.slept_at = directory_.capacity_generation();
  sleeping_.insert(group.key);
}

bool Matchmaker::Impl::want_lock(Group& group, Step& step) {
  if (stopping_ || !needs_room(group) || step.now < group.retry_at) return false;
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
  hold.limit = step.now + options_.hold;
  hold.settle_until = step.now + std::min(options_.join_grace, options_.hold / 2);
  group.lock = LockPhase::settling;
  group.lock_failed.reset();
  holding_.insert(group.key);
  directory_.forget_denials(group.key);
  for (const wire::RoomHint& hint : grant.hints) {
    const Worker* worker = directory_.find(hint.room.worker);
    if (worker != nullptr && worker->known) {
      directory_.hint(group.key, hint);
    } else if (!given_up_.contains(hint.room.worker)) {
      hold.awaited.insert(hint.room.worker);
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
  std::erase_if(hold.awaited, [&](const WorkerId& worker) {
    const Worker* known = directory_.find(worker);
    return known != nullptr && known->known;
  });
  std::erase_if(expected_, [&](const auto& entry) { return entry.second <= step.now; });
  if (step.now >= hold.settle_until) {
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
  hold.highest = std::max(hold.highest, hold.fence.highest());
  if (hold.fence.begun() || hold.stale) {
    // Never the same counter twice: an order under the old token may be on its way.
    ++counters_.fence_restarts;
    hold.highest = std::max(hold.highest, hold.token);
    hold.token = FencingToken{hold.highest.counter + 1, options_.self};
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

bool Matchmaker::Impl::order(Group& group, Step& step) {
  Hold& hold = *group.hold;
  FIXKEEP_ASSERT(group.asks.empty() && directory_.all_known(), group.key.text());
  const std::vector<ClaimNumber> numbers(group.queue.begin(), group.queue.end());
  std::vector<SpawnClaim> claims;
  claims.reserve(numbers.size());
  for (const ClaimNumber number : numbers) {
    const Waiting& waiting = claims_.at(number);
    std::size_t bytes = 8 + waiting.claim.player.text().size();
    for (const PlayerId& player : waiting.claim.party) bytes += 4 + player.text().size();
    claims.push_back({waiting.claim.seats(), bytes, waiting.avoid});
  }
  std::map<WorkerId, std::uint32_t> group_rooms;
  for (const RoomId& room : directory_.rooms_of(group.key)) ++group_rooms[room.worker];
  std::vector<SpawnWorker> workers;
  for (const auto& [id, worker] : directory_.workers()) {
    if (hold.excluded.contains(id) || !worker.modes.contains(group.mode)) continue;
    workers.push_back({id, worker.zone, worker.headroom, group_rooms[id]});
  }
  const auto plan = plan_spawns(claims, workers, {.capacity = group.capacity});
  if (plan.empty()) {
    sleep(group);
    release(group, step);
    return true;
  }
  group.no_capacity = false;
  hold.refused = false;
  for (const PlannedRoom& room : plan) {
    wire::SpawnRoom message;
    message.group = group.key;
    message.mode = group.mode;
    message.creation = {hold.token, hold.next_index++, options_.incarnation};
    message.basis = hold.basis;
    message.capacity = group.capacity;
    Question question;
    question.kind = QuestionKind::order;
    question.group = &group;
    question.worker = room.worker;
    question.hold = hold.number;
    question.capacity = group.capacity;
    question.creation = message.creation;
    question.expires = step.now + options_.worker_reply;
    for (const std::size_t index : room.claims) {
      Waiting& waiting = claims_.at(numbers[index]);
      unplace(numbers[index]);
      waiting.place = ClaimPlace::ordered;
      message.claims.push_back(waiting.claim);
      question.claims.push_back(numbers[index]);
    }
    message.request = put_question(std::move(question));
    ++hold.orders;
    ++counters_.spawns_ordered;
    step.out.emplace_back(SendToWorker{room.worker, std::move(message)});
  }
  group.lock = LockPhase::ordering;
  return false;
}

bool Matchmaker::Impl::orders_done(Group& group, Step& step) {
  Hold& hold = *group.hold;
  if (hold.orders > 0) return false;
  const bool more = !hold.lost && !group.queue.empty() && (hold.stale || hold.refused);
  if (!more) {
    release(group, step);
    return true;
  }
  hold.refused = false;
  hold.tries = 0;
  group.lock = LockPhase::settling;  // seats that came free meanwhile are tried before ordering
  return true;
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

void Matchmaker::Impl::spawn_reply(const WorkerId& worker, wire::SpawnReply&& reply, Step& step) {
  const auto question = take_question(reply.request, worker, QuestionKind::order);
  if (!question) return;
  Group& group = *question->group;
  Hold* hold = group.hold && group.hold->number == question->hold ? &*group.hold : nullptr;
  if (hold != nullptr) --hold->orders;
  directory_.set_headroom(worker, reply.headroom);
  switch (reply.outcome) {
    case wire::SpawnOutcome::accepted: spawned(*question, reply, step); return;
    case wire::SpawnOutcome::stale_token:
      ++counters_.spawns_refused;
      group.fence_owed = true;
      if (hold != nullptr) {
        hold->stale = true;
        hold->fence_owed = true;
        hold->highest = std::max(hold->highest, reply.highest);
      }
      break;
    case wire::SpawnOutcome::unknown_mode:
      directory_.forget_mode(worker, group.mode);
      [[fallthrough]];
    case wire::SpawnOutcome::no_capacity:
      if (hold != nullptr) {
        hold->refused = true;
        hold->excluded.insert(worker);
      }
      break;
  }
  for (const ClaimNumber number : question->claims) {
    if (claims_.at(number).tickets.empty()) {
      erase_claim(number);
    } else {
      enqueue(number);
    }
  }
}

void Matchmaker::Impl::spawned(const Question& question, wire::SpawnReply& reply, Step& step) {
  Group& group = *question.group;
  const WorkerId worker = question.worker;
  const bool sane = reply.room.group == group.key && reply.room.creation == question.creation &&
                    ascending_below(reply.granted, question.claims.size());
  if (!sane) {
    if (group.hold && group.hold->number == question.hold) group.hold->lost = true;
    group.fence_owed = true;
    for (const ClaimNumber number : question.claims) requeue_lost(number, step);
    close_link(worker, step);
    return;
  }
  if (!learn_room(worker, reply.room, step)) {
    for (const ClaimNumber number : question.claims) requeue_lost(number, step);
    return;
  }
  const RoomId id{worker, directory_.find(worker)->incarnation, reply.room.number};
  std::vector<PlayerHash> players = reply.room.players;
  std::sort(players.begin(), players.end());
  auto granted = reply.granted.begin();
  for (std::uint32_t i = 0; i < question.claims.size(); ++i) {
    const ClaimNumber number = question.claims[i];
    if (granted != reply.granted.end() && *granted == i) {
      ++granted;
      granted_seats(number, id, players, reply.reserved_for, step);
    } else if (claims_.at(number).tickets.empty()) {
      erase_claim(number);
    } else {
      enqueue(number);
    }
  }
  room_news(id, wire::CloseReason::none, step);
}

}  // namespace fixkeep::master
