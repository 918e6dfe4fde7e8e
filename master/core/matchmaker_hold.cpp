#include <algorithm>

#include "common/wire/limits.hpp"
#include "master/core/matchmaker_internals.hpp"

namespace fixkeep::master {
namespace {

// After a lock or a fence that was not to be had: long against a round trip, short for a player.
constexpr Duration back_off = std::chrono::milliseconds{250};

}  // namespace

// Whether there are claims that neither the rooms we know nor those we are asking have seats for.
bool Matchmaker::Impl::needs_room(const Group& group) const {
  if (group.queue.empty()) return false;
  if (group.queued_seats > group.asked.seats_left) return true;
  // A party may need more than any one of the rooms being asked has left.
  const std::uint32_t seats = claims_.at(*group.queue.begin()).claim.seats();
  return !questions_.may_leave(group, seats);
}

// True: the group acted, so it is worth another look.
bool Matchmaker::Impl::advance(Group& group, Step& step) {
  if (group.hold.active()) return look(group, step);
  if (!group.waits_for_lock) {
    want_lock(group, step);
  } else if (group.nobody_waits()) {
    step.locks.emplace_back(AbandonLock{group.key});
    group.waits_for_lock = false;
  }
  return false;
}

void Matchmaker::Impl::want_lock(Group& group, Step& step) {
  if (stopping_ || !needs_room(group) || step.now < group.retry_at) return;
  if (rooms_left(group) == 0) return;  // looked at again when one of its rooms has news
  const std::uint64_t capacity = directory_.capacity_generation();
  if (group.slept_at == capacity || !directory_.can_start(group.mode)) {
    groups_.sleep(group, capacity);
    return;
  }
  group.waits_for_lock = true;
  step.locks.emplace_back(AcquireLock{group.key});
}

void Matchmaker::Impl::granted(LockGranted&& grant, Step& step) {
  hold::Granted begun{
      grant.token, grant.fence, grant.needs_fence || grant.uncertain, awaited_.any(), {}};
  Group* found = groups_.find(grant.group);
  if (found == nullptr || !found->waits_for_lock) {
    give_back(grant.group, Hold::decline(begun), std::move(grant.hints), step);
    return;
  }
  Group& group = *found;
  group.waits_for_lock = false;
  group.lock_failed.reset();
  groups_.begin_hold(group);
  directory_.forget_denials(group.key);
  begun.missing = merge_hints(group, std::move(grant.hints));
  tell(group, begun, step);
  for (const TimePoint until : awaited_.ends()) groups_.mark_at(until, group);
  groups_.mark(group);
}

// Takes the hinted rooms of connected workers into the directory, and returns where others are.
std::set<WorkerRun> Matchmaker::Impl::merge_hints(Group& group,
                                                  std::vector<wire::RoomHint>&& hints) {
  std::set<WorkerRun> missing;
  for (wire::RoomHint& hint : hints) {
    const WorkerRun run{hint.room.worker, hint.room.incarnation};
    const Worker* worker = directory_.find(run.first);
    if (worker != nullptr && worker->known && worker->incarnation == run.second) {
      directory_.hint(group.key, hint);
    } else if (!directory_.run_over(run.first, run.second) && !awaited_.given_up(run)) {
      // Also if another run of the worker is connected: that link may be a dead one, which only the
      // heartbeat will end, while other masters see the worker's next run already.
      missing.insert(run);
      group.absent.push_back(std::move(hint));
    }
  }
  return missing;
}

// The worker is here. What it has told may be older than the hints.
void Matchmaker::Impl::merge_absent(Group& group, const WorkerRun& run) {
  std::erase_if(group.absent, [&](const wire::RoomHint& hint) {
    if (hint.room.worker != run.first || hint.room.incarnation != run.second) return false;
    directory_.hint(group.key, hint);
    return true;
  });
}

// What the next holder is told: also of rooms on workers that only it may reach.
std::vector<wire::RoomHint> Matchmaker::Impl::hints_of(const Group& group) const {
  std::vector<wire::RoomHint> hints = directory_.hints(group.key);
  for (const wire::RoomHint& hint : group.absent) {
    const bool over = directory_.run_over(hint.room.worker, hint.room.incarnation);
    if (!over && hints.size() < wire::limits::hints) hints.push_back(hint);
  }
  return hints;
}

void Matchmaker::Impl::lost(const GroupKey& key, lock::LostReason reason, Step& step) {
  Group* found = groups_.find(key);
  if (found == nullptr || found->idle()) return;
  Group& group = *found;
  if (group.waits_for_lock) {
    group.lock_failed = reason;
    group.waits_for_lock = false;
  } else {
    tell(group, hold::LockLost{}, step);
    group.absent.clear();
  }
  pause(group, step);
  groups_.mark(group);
}

void Matchmaker::Impl::pause(Group& group, Step& step) {
  group.retry_at = step.now + back_off;
  groups_.mark_at(group.retry_at, group);
}

// --- what its hold says --------------------------------------------------------------------------

bool Matchmaker::Impl::look(Group& group, Step& step) {
  awaited_.time_passed(step.now);
  hold::Look look;
  look.all_known = directory_.all_known();
  look.others_expected = awaited_.any();
  look.somebody_waits = !group.nobody_waits();
  look.queued = !group.queue.empty();
  look.asking = !group.asked.seats.empty();
  look.seats_free = directory_.next_room(group.key, 1) != nullptr;
  look.stopping = stopping_;
  look.used = used_counter_;
  return tell(group, look, step);
}

bool Matchmaker::Impl::tell(Group& group, const hold::Event& event, Step& step) {
  const bool held = group.hold.active();
  const TimePoint limit = group.hold.limit();
  hold::Outputs out;
  group.hold.step(event, step.now, out);
  if (held && !group.hold.active()) hold_ends(group, limit);
  for (hold::Output& output : out) {
    std::visit([&](auto& wish) { perform(group, std::move(wish), step); }, output);
  }
  return !out.empty();
}

void Matchmaker::Impl::hold_ends(Group& group, TimePoint limit) {
  questions_.forget_promises(group);
  groups_.forget_mark(limit, group);
  groups_.end_hold(group);
}

void Matchmaker::Impl::perform(Group& group, hold::LookAt&& look, Step&) {
  groups_.mark_at(look.at, group);
}

void Matchmaker::Impl::perform(Group& group, hold::WaitedInVain&& vain, Step&) {
  std::erase_if(group.absent, [&](const wire::RoomHint& hint) {
    return vain.runs.contains({hint.room.worker, hint.room.incarnation});
  });
  awaited_.give_up(vain.runs);
}

void Matchmaker::Impl::perform(Group& group, hold::Prepare&& prepare, Step& step) {
  questions_.forget_promises(group);
  ++counters_.fences;
  if (prepare.again) ++counters_.fence_restarts;
  hold::Asked asked;
  for (const auto& [id, worker] : directory_.workers()) {
    if (!worker.known) continue;
    const auto request = questions_.put({&group, id, PromiseQuestion{prepare.token}},
                                        step.now + options_.worker_reply);
    asked.workers.insert(id);
    step.out.emplace_back(SendToWorker{id, wire::PrepareSpawn{request, group.key, prepare.token}});
  }
  tell(group, asked, step);
}

// finish() places the claims before each look.
void Matchmaker::Impl::perform(Group&, hold::TrySeats&&, Step&) {}

void Matchmaker::Impl::perform(Group& group, hold::OrderRooms&& orders, Step& step) {
  tell(group, hold::Ordered{order(group, orders, step)}, step);
}

void Matchmaker::Impl::perform(Group& group, hold::GiveBack&& back, Step& step) {
  give_back(group.key, back, hints_of(group), step);
  group.absent.clear();
  if (back.pause) pause(group, step);
  groups_.mark(group);
}

void Matchmaker::Impl::perform(Group&, hold::NoteUsed&& used, Step&) {
  used_counter_ = std::max(used_counter_, used.counter);
}

void Matchmaker::Impl::give_back(const GroupKey& group, const hold::GiveBack& back,
                                 std::vector<wire::RoomHint>&& hints, Step& step) {
  step.locks.emplace_back(
      ReleaseLock{group, back.highest, back.stamp, back.fence, back.uncertain, std::move(hints)});
}

void Matchmaker::Impl::prepare_reply(const WorkerId& worker, wire::PrepareReply&& reply,
                                     Step& step) {
  // Its rooms are the truth, whatever has become of the round, also when the hold has ended and the
  // question is forgotten: the worker counts them as told and does not repeat them.
  for (const wire::RoomInfo& info : reply.rooms) {
    if (!learn_room(worker, info, step)) return;
  }
  const auto question = take_question<PromiseQuestion>(reply.request, worker);
  if (!question) return;
  tell(*question->group,
       hold::PromiseAnswered{worker, question->about.token, reply.promised, reply.highest}, step);
}

}  // namespace fixkeep::master
