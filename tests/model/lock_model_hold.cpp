// What a master does with the lock: the driver of its Hold, and the checker's own idea of what the
// Hold has to do.
#include <algorithm>

#include "lock/core/key_state.hpp"
#include "tests/model/lock_model.hpp"

namespace fixkeep::model {

namespace hold = master::hold;
using master::Hold;
using master::OrderFate;

namespace {

const TimePoint await_ends{Duration{1}};
const TimePoint limit_at{Duration{2}};

int worker_of(const WorkerId& worker) {
  return worker.text()[0] - '0';
}

}  // namespace

// Choices that a master makes within one step of its own: nothing else happens before.
bool LockModel::urgent_steps(int a, std::vector<Step>& out) const {
  const Master& master = *masters_[index(a)];
  if (master.offered) {
    out.push_back(code(Kind::take_grant, a));
    if (budget_.abandons > 0) out.push_back(code(Kind::decline_grant, a));
    if (names_orders(a, *master.offered)) out.push_back(code(Kind::trust_orders, a));
    return true;
  }
  if (!master.pending) return false;
  for (int w = 0; w < budget_.workers; ++w) {
    if (!master.links[index(w)].heard()) continue;
    if (!master.hold.excluded().contains(worker_id(w))) out.push_back(code(Kind::order, a, w));
  }
  return true;
}

void LockModel::hold_steps(int a, std::vector<Step>& out) const {
  const Master& master = *masters_[index(a)];
  switch (master.work) {
    case Work::idle:
      if (master.acquisitions > 0 && !master.knows_room()) out.push_back(code(Kind::acquire, a));
      return;
    case Work::waiting:
      if (budget_.abandons > 0) out.push_back(code(Kind::abandon, a));
      return;
    case Work::holding: break;
  }
  if (budget_.workers == 0) {
    out.push_back(code(Kind::release, a));
    return;
  }
  if (budget_.abandons > 0 && master.claim) out.push_back(code(Kind::abandon, a));
  const bool awaits = master.hold.phase() == Hold::Phase::awaiting && master.now < await_ends;
  if (awaits && all_workers_heard(a)) out.push_back(code(Kind::stop_awaiting, a));
  if (budget_.holds_cut == 0) return;
  out.push_back(code(Kind::reach_limit, a));
  out.push_back(code(Kind::lose_lock, a));
}

void LockModel::take_hold(Kind kind, int a, int b) {
  Master& master = masters_[index(a)].edit();
  if (kind == Kind::acquire) {
    --master.acquisitions;
    master.claim = true;
    master.work = Work::waiting;
    step(a, lock::Acquire{});
  } else if (kind == Kind::abandon) {
    --budget_.abandons;
    master.claim = false;
    look(a);
  } else if (kind == Kind::release) {
    release_without_workers(a);
  } else if (kind == Kind::take_grant || kind == Kind::decline_grant ||
             kind == Kind::trust_orders) {
    const lock::Granted granted = *std::exchange(master.offered, std::nullopt);
    if (kind != Kind::decline_grant) {
      grant(a, granted, kind == Kind::trust_orders);
    } else {
      --budget_.abandons;
      decline(a, granted);
    }
  } else if (kind == Kind::order) {
    order(a, b);
  } else if (kind == Kind::stop_awaiting) {
    master.now = await_ends;
    look(a);
  } else if (kind == Kind::reach_limit) {
    --budget_.holds_cut;
    master.now = limit_at;
    look(a);
    if (masters_[index(a)]->hold.active()) wrong_ = "a hold that outlives its limit";
  } else if (kind == Kind::lose_lock) {
    --budget_.holds_cut;
    lose_lock(a);
  }
}

bool LockModel::all_workers_heard(int a) const {
  const Master& master = *masters_[index(a)];
  for (int w = 0; w < budget_.workers; ++w) {
    const WorkerLink& link = master.links[index(w)];
    if (link.end != End::up || link.run != workers_[index(w)]->run) return false;
  }
  return true;
}

// A link whose end the master has not noticed counts as long as the worker is the same.
bool LockModel::reaches(int a, int w) const {
  const WorkerLink& link = masters_[index(a)]->links[index(w)];
  return link.heard() && link.run == workers_[index(w)]->run;
}

// --- the grant

void LockModel::offer(int a, const lock::Granted& granted) {
  if (budget_.workers > 0 && (budget_.abandons > 0 || names_orders(a, granted))) {
    masters_[index(a)].edit().offered = granted;
  } else {
    grant(a, granted, false);
  }
}

bool LockModel::has_unanswered_order(int a) const {
  const auto& links = masters_[index(a)]->links;
  return std::any_of(links.begin(), links.end(),
                     [](const WorkerLink& link) { return !link.orders.empty(); });
}

void LockModel::grant(int a, const lock::Granted& granted, bool trusted) {
  Master& master = masters_[index(a)].edit();
  master.work = Work::holding;
  master.token = granted.token;
  master.value = granted.value;
  if (budget_.workers == 0) return;
  master.now = TimePoint{};
  master.duty = Duty{};
  master.duty.debt = granted.needs_fence || granted.value.uncertain || master.debt;
  master.duty.newest = granted.value.fence;
  hold::Granted event{granted.token, granted.value.fence,
                      granted.needs_fence || granted.value.uncertain, false, missing(a)};
  if (!trusted && !master.ordered.empty()) {
    if (budget_.orders_fenced) {
      event.needs_fence = master.duty.debt = true;
    } else {
      master.ordered.clear();
    }
  }
  tell(a, event);
  look(a);
}

void LockModel::decline(int a, const lock::Granted& granted) {
  Master& master = masters_[index(a)].edit();
  master.claim = false;
  const hold::Granted event{granted.token,
                            granted.value.fence,
                            granted.needs_fence || granted.value.uncertain,
                            false,
                            {}};
  const hold::GiveBack back = Hold::decline(event);
  if (event.needs_fence && !back.uncertain) wrong_ = "a debt that is not passed on";
  release(a, back, std::string{granted.value.bytes});
}

// --- the hold

void LockModel::tell(int a, const hold::Event& event) {
  Master& master = masters_[index(a)].edit();
  hold::Outputs out;
  master.hold.step(event, master.now, out);
  note_fenced(a);
  for (const hold::Output& output : out) perform(a, output);
}

// Rooms that are ordered of workers that are here have been shown, or their orders are void.
void LockModel::note_fenced(int a) {
  if (!masters_[index(a)]->hold.fenced()) return;
  Master& master = masters_[index(a)].edit();
  master.ordered.clear();
  std::erase_if(master.hints,
                [&](const Hint& hint) { return hint.ordered && !is_missing(a, hint); });
}

// As MasterCore::Impl::finish() does after each event.
void LockModel::look(int a) {
  while (true) {
    Master& master = masters_[index(a)].edit();
    if (master.knows_room()) master.claim = false;  // it has a seat
    if (master.work == Work::waiting && !master.claim && !master.offered) {
      master.work = Work::idle;
      step(a, lock::Abandon{});
    }
    if (!master.hold.active() || master.pending) return;
    hold::Look look;
    for (const WorkerLink& link : master.links) {
      look.all_known = look.all_known && link.end != End::made;
      look.others_expected = look.others_expected || (link.awaited && master.now < await_ends);
    }
    look.somebody_waits = master.claim;
    look.room_needed = master.claim && master.ordered.empty() && !has_unanswered_order(a);
    look.orders_named = budget_.early_release;
    look.seats_free = master.knows_room();
    look.used = master.used;
    hold::Outputs out;
    master.hold.step(look, master.now, out);
    note_fenced(a);
    for (const hold::Output& output : out) perform(a, output);
    if (out.empty()) return;
  }
}

void LockModel::perform(int a, const hold::Output& output) {
  Master& master = masters_[index(a)].edit();
  if (const auto* vain = std::get_if<hold::WaitedInVain>(&output)) {
    for (const auto& [worker, run] : vain->runs) {
      master.in_vain |= run_bit(worker_of(worker), static_cast<int>(run.number()));
    }
  } else if (const auto* asked = std::get_if<hold::Prepare>(&output)) {
    prepare(a, asked->token);
  } else if (const auto* orders = std::get_if<hold::OrderRooms>(&output)) {
    master.pending = *orders;
    check_order(a);
    std::vector<Step> choices;
    static_cast<void>(urgent_steps(a, choices));
    if (choices.empty()) {
      master.pending.reset();
      master.claim = false;  // it waits until somebody can start a room, without the lock
      tell(a, hold::Ordered{0});
    }
  } else if (const auto* back = std::get_if<hold::GiveBack>(&output)) {
    check_debt(a, back->uncertain);
    master.debt = false;
    release(a, *back, hints(a));
  } else if (const auto* used = std::get_if<hold::NoteUsed>(&output)) {
    master.used = std::max(master.used, used->counter);
  }
}

void LockModel::prepare(int a, FencingToken token) {
  Master& master = masters_[index(a)].edit();
  Duty& duty = master.duty;
  if (duty.round && token == duty.token) wrong_ = "a token that serves two rounds";
  duty.round = true;
  duty.void_since = false;
  duty.token = token;
  duty.missing = 0;
  hold::Asked asked;
  for (int w = 0; w < budget_.workers; ++w) {
    if (!master.links[index(w)].heard()) continue;
    asked.workers.insert(worker_id(w));
    duty.missing |= bit(w);
  }
  note_promises(a);
  tell(a, asked);
  for (const WorkerId& worker : asked.workers) {
    send(a, worker_of(worker), {.order = false, .token = token});
  }
}

// A fence of all workers clears up what was open; one of some of them does so only as far as its
// master can see, and what becomes of that is not promised.
void LockModel::note_promises(int a) {
  Master& master = masters_[index(a)].edit();
  Duty& duty = master.duty;
  if (!duty.complete()) return;
  bool sees_all = true;
  for (int w = 0; w < budget_.workers; ++w) sees_all = sees_all && reaches(a, w);
  duty.blind = !sees_all && (duty.debt || duty.blind);
  duty.debt = false;
}

void LockModel::check_order(int a) {
  Master& master = masters_[index(a)].edit();
  const Duty& duty = master.duty;
  const FencingToken newest = duty.complete() ? duty.token : duty.newest;
  if (!duty.may_order()) wrong_ = "an order although a fence is owed";
  if (master.pending->basis != newest) wrong_ = "an order that builds on another fence";
  if (!master.ordered.empty()) wrong_ = "an order although another one may bring the room";
  for (const Hint& hint : master.hints) {
    const WorkerLink& link = master.links[index(hint.worker)];
    const bool here = link.heard() && link.run == hint.run;
    if (!here && workers_[index(hint.worker)]->run == hint.run) {
      wrong_ = "an order although a hinted worker is missing";
    }
  }
}

void LockModel::order(int a, int w) {
  Master& master = masters_[index(a)].edit();
  const hold::OrderRooms orders = *std::exchange(master.pending, std::nullopt);
  for (int other = 0; other < budget_.workers; ++other) {
    if (!reaches(a, other)) out_of_scope_ = true;
  }
  master.links[index(w)].orders.push_back(master.hold.number());
  tell(a, hold::Ordered{1});
  send(a, w,
       {.order = true,
        .token = orders.token,
        .basis = orders.basis,
        .index = orders.first_index,
        .hold = master.hold.number(),
        .run = master.run});
  look(a);
}

// --- the end of the hold

void LockModel::release(int a, const hold::GiveBack& back, std::string&& rooms) {
  Master& master = masters_[index(a)].edit();
  lock::LockValue value;
  value.stamp = back.stamp;
  value.fence = back.fence;
  value.uncertain = back.uncertain;
  value.bytes = std::move(rooms);
  newest_release_ = std::max(newest_release_, value.stamp);
  master.work = Work::idle;
  master.claim = false;
  master.hints.clear();
  master.ordered.clear();
  step(a, lock::Release{back.highest, std::move(value)});
}

void LockModel::check_debt(int a, bool uncertain) {
  const Master& master = *masters_[index(a)];
  bool owes = master.duty.debt || master.duty.unknown;
  // An order without an answer is passed on by its name; see hints().
  if (!budget_.early_release) owes = owes || has_unanswered_order(a);
  if (owes && !uncertain) wrong_ = "a debt that is not passed on";
  if (master.duty.blind) out_of_scope_ = true;
}

// As LockTable does when a lease lapses.
void LockModel::lose_lock(int a) {
  Master& master = masters_[index(a)].edit();
  if (master.duty.debt || master.duty.unknown) master.debt = true;
  for (const WorkerLink& link : master.links) {
    for (const std::uint64_t hold : link.orders) {
      master.debt = master.debt || hold == master.hold.number();
    }
  }
  master.work = Work::idle;
  master.claim = false;
  master.hints.clear();
  master.ordered.clear();
  const lock::Release release = std::visit(
      [&](const auto& machine) {
        return lock::release_of_lapsed(machine.highest(), machine.value(), id(a));
      },
      master.machine);
  newest_release_ = std::max(newest_release_, release.value.stamp);
  tell(a, hold::LockLost{});
  step(a, release);
}

void LockModel::release_without_workers(int a) {
  Master& master = masters_[index(a)].edit();
  lock::LockValue value;
  value.stamp = master.token;
  value.fence = master.told_to_fence ? master.token : master.value.fence;
  newest_release_ = std::max(newest_release_, value.stamp);
  master.work = Work::idle;
  master.claim = false;
  step(a, lock::Release{master.token, std::move(value)});
}

}  // namespace fixkeep::model
