#include "master/core/orders/holds.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include "common/wire/codec.hpp"
#include "common/wire/warm_pool.hpp"

namespace fixkeep::master {
namespace {

// Pause after a lost lock or a failed fence: far longer than a round trip, but short for a player.
constexpr Duration back_off = std::chrono::milliseconds{250};

void release(const GroupKey& group, const hold::GiveBack& back, std::vector<wire::RoomHint>&& hints,
             Step& step) {
  step.locks.emplace_back(
      ReleaseLock{group, back.highest, back.stamp, back.fence, back.uncertain, std::move(hints)});
}

}  // namespace

// --- the lock ------------------------------------------------------------------------------------

bool Holds::advance(Group& group, Step& step) {
  const bool overdue = group.lock.change().hinted.ordered().time_passed(step.now);
  if (overdue) tell(group, hold::RoomOverdue{}, step);
  if (group.lock->hold.active()) return look(group, step);
  if (!group.standing->waits_for_lock) {
    want_lock(group, step);
  } else if (group.is_pool() ? !has_need(group, step.now) : group.nobody_waits()) {
    step.locks.emplace_back(AbandonLock{group.key});
    groups_.set_waits_for_lock(group, false);
  }
  return false;
}

bool Holds::has_need(const Group& group, TimePoint now) const {
  if (!group.is_pool()) return need_.any(group);
  return lending_.due(group, now) && !pools_.busy(group);
}

bool Holds::waits_for_sight(const Group& group, TimePoint now) {
  const bool pool = group.is_pool() && out_of_sight_.keeps_back(group.key, group.rooms->mode, now);
  return pool || out_of_sight_.any_of(group.key, now);
}

void Holds::want_lock(Group& group, Step& step) {
  if (stopping_ || !has_need(group, step.now) || step.now < group.lock->retry_at) return;
  if (waits_for_sight(group, step.now)) return;  // the group acts again after this wait
  if (group.is_pool()) {
    const TimePoint rests_until = pools_.pace().rests_until(group.key);
    if (rests_until > step.now) return groups_.mark_at(rests_until, group);
  }
  if (orders_.rooms_left(group) == 0) return;  // the group acts again after news of its rooms
  const std::uint64_t capacity = directory_.capacity_generation();
  const bool nobody_can = group.standing->slept_at == capacity ||
                          !directory_.can_start(group.rooms->mode, group.rooms->capacity);
  const bool may_fill = group.is_pool() && directory_.next_room(group.key, 1) != nullptr;
  if (nobody_can && !*group.pool_due && !may_fill) {
    groups_.sleep(group, capacity);
    return;
  }
  groups_.set_waits_for_lock(group, true);
  step.locks.emplace_back(AcquireLock{group.key});
}

void Holds::granted(LockGranted&& grant, Step& step) {
  Group* group = groups_.find(grant.group);
  const bool pool = group != nullptr && group->is_pool();
  // Every hold of a pool, match or warm pool fences: the fence shows the rooms and makes other
  // masters' orders void.
  const bool fences = pool || wire::is_warm_pool(grant.group) || wire::is_match(grant.group);
  hold::Granted begun{grant.token,
                      grant.fence,
                      grant.needs_fence || grant.uncertain || fences,
                      pool || awaited_.any(),
                      {}};
  if (group == nullptr || !group->standing->waits_for_lock) {
    begun.needs_fence = begun.needs_fence || begin_with_concealed(grant);
    release(grant.group, Hold::decline(begun), std::move(grant.hints), step);
    return;
  }
  groups_.set_waits_for_lock(*group, false);
  LockOfGroup& lock = group->lock.change();
  lock.failed.reset();
  lock.without_warm.clear();
  lock.refusals = {};
  groups_.begin_hold(*group);
  directory_.forget_denials(group->key);
  drop_known_orders(*group, grant);
  if (begin_with_concealed(grant)) begun.needs_fence = true;
  begun.missing = lock.hinted.merge(std::move(grant.hints), group->key, awaited_, directory_);
  for (const WorkerRun& run : begun.missing) out_of_sight_.add(run.first, group->key, step.now);
  trust_orders(*group, step);
  begun.needs_fence = begun.needs_fence || lock.hinted.ordered().overdue();
  tell(*group, begun, step);
  if (pool) pools_.begin(*group, begun.token, step);
  for (const TimePoint until : awaited_.ends()) groups_.mark_at(until, *group);
  groups_.mark(*group);
}

// Removes the hints of orders whose end is known, unless the worker's link has changed since then.
// Also removes the hints of this master's unanswered orders: these orders already count as
// questions.
void Holds::drop_known_orders(Group& group, LockGranted& grant) {
  const std::map<CreationId, std::uint64_t> known =
      std::exchange(group.lock.change().known_orders, {});
  std::set<CreationId> unanswered;
  for (const auto& [id, order] : questions_.orders(group)) unanswered.insert(order->creation);
  const auto is_known = [&](const wire::RoomHint& hint) {
    if (!hint.ordered) return false;
    const auto told = known.find(*hint.ordered);
    const Worker* worker = directory_.find(hint.room.worker);
    const bool still = told != known.end() && worker != nullptr && worker->link == told->second;
    return still || unanswered.contains(*hint.ordered);
  };
  std::erase_if(grant.hints, is_known);
  std::erase_if(grant.earlier, is_known);
}

// An earlier holder named a room with seats, but the last holder did not. Either the last holder
// knew that the room is full or gone, or the last holder lies. The fence shows which.
bool Holds::begin_with_concealed(LockGranted& grant) const {
  std::vector<wire::RoomHint> concealed =
      concealed_hints(grant.hints, std::exchange(grant.earlier, {}), grant.group, directory_);
  const bool any = !concealed.empty();
  for (wire::RoomHint& hint : concealed) grant.hints.push_back(std::move(hint));
  return any;
}

void Holds::note_fate(Group& group, const WorkerId& worker, const CreationId& creation) {
  const Worker* known = directory_.find(worker);
  if (known != nullptr) group.lock.change().known_orders[creation] = known->link;
}

void Holds::room_shown(const WorkerId& worker, const wire::RoomInfo& room) {
  Group* group = groups_.find(room.group);
  if (group == nullptr || !group->lock.change().hinted.ordered().seen(room.creation)) return;
  note_fate(*group, worker, room.creation);
  groups_.mark(*group);
}

// Waits at most `worker_reply` for each ordered room. The orders were sent before the lock was
// released, so a healthy worker shows a room within this time.
void Holds::trust_orders(Group& group, Step& step) {
  const TimePoint until = step.now + options_.worker_reply;
  group.lock.change().hinted.ordered().trust_until(until);
  groups_.mark_at(until, group);
}

std::vector<wire::RoomHint> Holds::unseen(const Group& group) const {
  std::vector<wire::RoomHint> hints = group.lock->hinted.unseen(directory_);
  for (const auto& [id, order] : questions_.orders(group)) {
    const Incarnation run = directory_.find(id)->incarnation;
    hints.push_back(
        {{id, run, {}}, group.rooms->mode, group.rooms->capacity, order->spare, order->creation});
  }
  return hints;
}

void Holds::lost(const GroupKey& key, lock::LostReason reason, Step& step) {
  Group* group = groups_.find(key);
  if (group == nullptr || group->idle()) return;
  if (group->standing->waits_for_lock) {
    group->lock.change().failed = reason;
    groups_.set_waits_for_lock(*group, false);
  } else {
    tell(*group, hold::LockLost{}, step);
    group->lock.change().hinted.clear();
  }
  pause(*group, step);
  groups_.mark(*group);
}

void Holds::pause(Group& group, Step& step) {
  group.lock.change().retry_at = step.now + back_off;
  groups_.mark_at(group.lock->retry_at, group);
}

void Holds::stop(Step& step) {
  stopping_ = true;
  for (Group* group : groups_.holding()) look(*group, step);
}

// --- facts for holders ---------------------------------------------------------------------------

void Holds::link_changed(const WorkerId& worker, Step& step) {
  for (Group* group : groups_.holding()) {
    tell(*group, hold::LinkChanged{worker}, step);
    if (directory_.find(worker) == nullptr) {
      for (const WorkerRun& run : group->lock.change().hinted.left(worker)) {
        tell(*group, hold::RunMissing{run}, step);
      }
    }
    groups_.mark(*group);
  }
}

void Holds::worker_known(const WorkerRun& run, Step& step) {
  for (Group* group : groups_.holding()) {
    group->lock.change().hinted.arrived(run, group->key, directory_);
    trust_orders(*group, step);
    tell(*group, hold::WorkerKnown{run.first, run.second}, step);
    groups_.mark(*group);
  }
}

void Holds::held_up(Duration late) {
  for (Group* group : groups_.holding()) {
    Hold& hold = group->lock.change().hold;
    groups_.forget_mark(hold.limit(), *group);
    hold.held_up(late);
    groups_.mark_at(hold.limit(), *group);
    groups_.mark_at(hold.await_until(), *group);
  }
}

void Holds::note_used(std::uint64_t counter) {
  used_counter_ = std::max(used_counter_, counter);
}

void Holds::seats_asked(Group& group, Step& step) {
  tell(group, hold::SeatsAsked{}, step);
}

std::vector<WorkerId> Holds::promise_answered(const QuestionAbout<PromiseQuestion>& question,
                                              bool promised, FencingToken highest, Step& step) {
  tell(*question.group,
       hold::PromiseAnswered{question.worker, question.about.token, promised, highest}, step);
  return question.group->lock.change().refusals.answered(question.worker, question.about.token,
                                                         promised, Quarantine::most_refusals);
}

void Holds::order_ended(const QuestionAbout<OrderQuestion>& question, OrderFate fate,
                        FencingToken highest, Step& step) {
  directory_.order_ends(question.worker, question.about.client, question.about.only_warm);
  const std::uint64_t capacity = directory_.capacity_generation();
  if (fate != OrderFate::unknown) {
    note_fate(*question.group, question.worker, question.about.creation);
  }
  const bool carried_out = fate == OrderFate::carried_out || fate == OrderFate::unknown;
  if (!carried_out) orders_.not_started(question.about);
  LockOfGroup& lock = question.group->lock.change();
  if (fate == OrderFate::refused) lock.order_refused = true;
  if (fate == OrderFate::no_warm) lock.without_warm.insert(question.worker);
  if (fate == OrderFate::carried_out) lock.order_refused = false;
  tell(*question.group,
       hold::OrderEnded{question.about.hold, fate, question.worker, highest, capacity}, step);
}

void Holds::seats_ended(const QuestionAbout<SeatQuestion>& question, OrderFate fate, Step& step) {
  tell(*question.group, hold::OrderEnded{question.about.hold, fate, question.worker, {}, 0}, step);
}

// Returns whether the lock value may name the orders. If it may, the holder releases the lock
// before the answers arrive. After a refusal the holder waits for the answers. Then the holder
// tries the other workers. If all workers refuse, the group sleeps and does not acquire the lock
// again and again. The holder waits, too, if a refusal is likely (`only_warm`): other masters would
// wait for a room that never starts. In a pool or match the holder waits because the next fence
// would make the orders void.
bool Holds::may_name_orders(const Group& group) const {
  const bool fences = group.is_pool() || wire::is_match(group.key);
  if (group.lock->order_refused || fences || wire::is_warm_pool(group.key)) return false;
  const auto orders = questions_.orders(group);
  return !orders.empty() && std::none_of(orders.begin(), orders.end(),
                                         [](const auto& order) { return order.second->only_warm; });
}

bool Holds::look(Group& group, Step& step) {
  awaited_.time_passed(step.now);
  hold::Look look;
  look.all_known = directory_.all_known();
  const bool undecided = group.is_pool() && pools_.undecided(group);
  look.others_expected = awaited_.any() || (undecided && !pools_.gathered(group, step.now));
  look.somebody_waits = undecided || !group.nobody_waits();
  look.room_needed = group.is_pool() ? undecided : need_.any(group);
  look.asking = !group.asked->seats.empty();
  look.seats_free = !group.lock->hold.may_ask() && directory_.next_room(group.key, 1) != nullptr;
  look.orders_named = may_name_orders(group) && wire::hints_fit(unseen(group));
  look.out_of_sight = waits_for_sight(group, step.now);
  look.stopping = stopping_;
  look.used = used_counter_;
  return tell(group, look, step);
}

// --- outputs of the hold -------------------------------------------------------------------------

bool Holds::tell(Group& group, const hold::Event& event, Step& step) {
  LockOfGroup& lock = group.lock.change();
  const bool held = lock.hold.active();
  const TimePoint limit = lock.hold.limit();
  hold::Outputs out;
  lock.hold.step(event, step.now, out);
  if (lock.hold.fenced()) lock.hinted.ordered().clear();
  if (held && !lock.hold.active()) hold_ends(group, limit, step);
  for (hold::Output& output : out) {
    std::visit([&](auto& wanted) { perform(group, std::move(wanted), step); }, output);
  }
  return !out.empty();
}

void Holds::hold_ends(Group& group, TimePoint limit, Step& step) {
  if (group.is_pool()) pools_.hold_ended(group, step);
  questions_.forget_promises(group);
  groups_.forget_mark(limit, group);
  groups_.end_hold(group);
}

void Holds::perform(Group& group, hold::LookAt&& look, Step&) {
  groups_.mark_at(look.at, group);
}

void Holds::perform(Group& group, hold::WaitedInVain&& vain, Step&) {
  group.lock.change().hinted.give_up(vain.runs);
  awaited_.give_up(vain.runs);
}

void Holds::perform(Group& group, hold::Prepare&& prepare, Step& step) {
  questions_.forget_promises(group);
  ++counters_.fences;
  if (prepare.again) ++counters_.fence_restarts;
  hold::Asked asked;
  for (const auto& [id, worker] : directory_.workers()) {
    if (!worker.known) continue;
    const auto request = questions_.put({&group, id, PromiseQuestion{prepare.token}}, step.now,
                                        worker.patience(options_.worker_reply));
    asked.workers.insert(id);
    step.out.emplace_back(SendToWorker{id, wire::PrepareSpawn{request, group.key, prepare.token}});
  }
  tell(group, asked, step);
}

// TrySeats needs no action, because rooms are asked for seats before each Look anyway.
void Holds::perform(Group&, hold::TrySeats&&, Step&) {}

void Holds::perform(Group& group, hold::OrderRooms&& orders, Step& step) {
  const std::uint32_t sent =
      group.is_pool() ? pools_.decide(group, orders, step) : orders_.order(group, orders, step);
  tell(group, hold::Ordered{sent}, step);
}

void Holds::perform(Group& group, hold::GiveBack&& back, Step& step) {
  std::vector<wire::RoomHint> hints = unseen(group);
  back.uncertain = back.uncertain || !wire::hints_fit(hints);
  if (!group.is_pool() && !wire::is_warm_pool(group.key)) {  // else the fence shows all rooms
    for (wire::RoomHint& hint : out_of_sight_.hints(group.key, step.now)) {
      hints.push_back(std::move(hint));
    }
    for (wire::RoomHint& hint : directory_.hints(group.key)) hints.push_back(std::move(hint));
  }
  release(group.key, back, std::move(hints), step);
  group.lock.change().hinted.clear();
  if (back.pause) pause(group, step);
  groups_.mark(group);
}

void Holds::perform(Group&, hold::NoteUsed&& used, Step&) {
  note_used(used.counter);
}

}  // namespace fixkeep::master
