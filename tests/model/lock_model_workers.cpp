// Workers, and the links between them and the masters.
#include <algorithm>

#include "tests/model/lock_model.hpp"

namespace fixkeep::model {

namespace hold = master::hold;
using master::OrderFate;

namespace {

const GroupKey group{"g"};

}  // namespace

void LockModel::worker_steps(int a, int w, std::vector<Step>& out) const {
  const Master& master = *masters_[index(a)];
  const WorkerLink& end = master.links[index(w)];
  if (master.alive) {
    if (end.end == End::down) out.push_back(code(Kind::connect_worker, a, w));
    if (end.end == End::broken) out.push_back(code(Kind::notice_worker, a, w));
    const bool live = end.end == End::made || end.end == End::up;
    if (live && budget_.worker_link_losses > 0) out.push_back(code(Kind::lose_worker, a, w));
  }
  const auto& told = to_workers_[link(a, w)]->messages;
  if (!told.empty()) {
    out.push_back(code(Kind::tell_worker, a, w));
    if (told.front().order && budget_.refusals > 0) out.push_back(code(Kind::refuse_order, a, w));
  }
  if (!to_masters_[link(a, w)]->messages.empty()) out.push_back(code(Kind::tell_master, a, w));
}

void LockModel::take_worker(Kind kind, int a, int w) {
  if (kind == Kind::connect_worker) {
    connect_worker(a, w);
  } else if (kind == Kind::lose_worker) {
    --budget_.worker_link_losses;
    masters_[index(a)].edit().links[index(w)].end = End::broken;
    to_masters_[link(a, w)].reset();
  } else if (kind == Kind::notice_worker) {
    notice_worker(a, w);
  } else if (kind == Kind::restart_worker) {
    restart_worker(a);
  } else if (kind == Kind::tell_worker) {
    at_worker(a, w, false);
  } else if (kind == Kind::refuse_order) {
    --budget_.refusals;
    at_worker(a, w, true);
  } else if (kind == Kind::tell_master) {
    auto& messages = to_masters_[link(a, w)].edit().messages;
    const ToMaster message = messages.front();
    messages.erase(messages.begin());
    if (messages.empty()) to_masters_[link(a, w)].reset();
    at_master(w, a, message);
  }
}

// What was on its way on the connection of before is never delivered.
void LockModel::connect_worker(int a, int w) {
  to_workers_[link(a, w)].reset();
  to_masters_[link(a, w)].reset();
  masters_[index(a)].edit().links[index(w)].end = End::made;
  tell(a, hold::LinkChanged{worker_id(w)});
  Duty& duty = masters_[index(a)].edit().duty;
  duty.void_since = true;
  look(a);
  const Worker& worker = *workers_[index(w)];
  answer(w, a,
         {.kind = ToMaster::Kind::state,
          .room = worker.rooms > 0,
          .highest = {worker.promises.highest_counter(), MasterId{}},
          .run = worker.run});
}

// As AwaitedWorkers::went_down() does, for whom nothing is ever long ago.
void LockModel::expect_back(int a, int w) {
  auto& links = masters_[index(a)].edit().links;
  links[index(w)].lately = true;
  int gone = 0;
  int here = 0;
  for (const WorkerLink& link : links) {
    if (link.lately) ++gone;
    if (link.end != End::down) ++here;
  }
  for (WorkerLink& link : links) link.awaited = link.awaited || (gone >= here && link.lately);
}

// The rooms and the answers that were to come are gone.
void LockModel::notice_worker(int a, int w) {
  Master& master = masters_[index(a)].edit();
  WorkerLink& link = master.links[index(w)];
  expect_back(a, w);
  link.end = End::down;
  link.room = false;
  master.duty.void_since = true;
  tell(a, hold::LinkChanged{worker_id(w)});
  await_ordered(a, w);
  const auto orders = std::exchange(link.orders, {});
  for (const std::uint64_t hold : orders) order_ended(a, w, hold, OrderFate::unknown, {});
  look(a);
}

// A room that is ordered of the worker may have been made meanwhile.
void LockModel::await_ordered(int a, int w) {
  Master& master = masters_[index(a)].edit();
  const std::vector<Hint> ordered = master.ordered;
  std::erase_if(master.ordered, [&](const Hint& hint) { return hint.worker == w; });
  if (!budget_.orders_awaited) return;
  for (const Hint& hint : ordered) {
    if (hint.worker != w) continue;
    const Incarnation run{static_cast<std::uint64_t>(hint.run)};
    tell(a, hold::RunMissing{{worker_id(w), run}});
  }
}

void LockModel::restart_worker(int w) {
  --budget_.worker_restarts;
  Worker next;
  next.run = workers_[index(w)]->run + 1;
  workers_[index(w)].edit() = std::move(next);
  for (int a = 0; a < budget_.masters; ++a) {
    const End end = masters_[index(a)]->links[index(w)].end;
    if (end == End::made || end == End::up) {
      masters_[index(a)].edit().links[index(w)].end = End::broken;
    }
    to_workers_[link(a, w)].reset();
    to_masters_[link(a, w)].reset();
  }
}

// What is sent on a broken connection is lost; the sender has not noticed yet.
void LockModel::send(int a, int w, const ToWorker& message) {
  if (masters_[index(a)]->links[index(w)].end != End::up) return;
  to_workers_[link(a, w)].edit().messages.push_back(message);
}

void LockModel::at_worker(int a, int w, bool refuse) {
  auto& messages = to_workers_[link(a, w)].edit().messages;
  const ToWorker message = messages.front();
  messages.erase(messages.begin());
  if (messages.empty()) to_workers_[link(a, w)].reset();
  Worker& worker = workers_[index(w)].edit();
  ToMaster reply;
  reply.token = message.token;
  if (message.order) {
    reply.kind = ToMaster::Kind::order;
    reply.hold = message.hold;
    const CreationId creation{message.token, message.index,
                              Incarnation{static_cast<std::uint64_t>(100 * a + message.run)}};
    const FencingToken basis = budget_.basis_checked ? message.basis : message.token;
    if (!worker.promises.allow(group, creation, basis, TimePoint{})) {
      reply.fate = OrderFate::stale;
    } else if (refuse) {
      reply.fate = OrderFate::refused;
    } else {
      reply.fate = OrderFate::carried_out;
      ++worker.rooms;
    }
  } else {
    reply.kind = ToMaster::Kind::promise;
    reply.promised = worker.promises.promise(group, message.token, TimePoint{});
  }
  reply.highest = worker.promises.highest(group);
  reply.room = worker.rooms > 0;
  answer(w, a, reply);
}

void LockModel::answer(int w, int a, const ToMaster& message) {
  const Master& master = *masters_[index(a)];
  const End end = master.links[index(w)].end;
  if (!master.alive || (end != End::made && end != End::up)) return;
  if (budget_.slow_answers) {
    to_masters_[link(a, w)].edit().messages.push_back(message);
  } else {
    at_master(w, a, message);
  }
}

void LockModel::at_master(int w, int a, const ToMaster& message) {
  Master& master = masters_[index(a)].edit();
  WorkerLink& link = master.links[index(w)];
  link.room = link.room || message.room;
  switch (message.kind) {
    case ToMaster::Kind::state: {
      link.end = End::up;
      link.awaited = link.lately = false;
      link.run = message.run;
      link.seen |= 1U << static_cast<unsigned>(message.run);
      const std::uint64_t counter = message.highest.counter;
      std::visit([&](auto& machine) { machine.raise(counter); }, master.machine);
      master.used = std::max(master.used, counter);
      for (const Hint& hint : master.hints) {
        // The state may be older than the hint.
        const bool names_it = hint.worker == w && hint.run == message.run;
        if (names_it && hint.ordered) {
          master.ordered.push_back(hint);
        } else {
          link.room = link.room || (budget_.hints_kept && names_it);
        }
      }
      const Incarnation run{static_cast<std::uint64_t>(message.run)};
      tell(a, hold::WorkerKnown{worker_id(w), run});
      break;
    }
    case ToMaster::Kind::promise: {
      Duty& duty = master.duty;
      if (message.promised && duty.round && message.token == duty.token) {
        duty.missing &= ~(1U << static_cast<unsigned>(w));
        note_promises(a);
      }
      const WorkerId worker = worker_id(w);
      tell(a, hold::PromiseAnswered{worker, message.token, message.promised, message.highest});
      break;
    }
    case ToMaster::Kind::order:
      std::erase(link.orders, message.hold);
      order_ended(a, w, message.hold, message.fate, message.highest);
      break;
  }
  look(a);
}

void LockModel::order_ended(int a, int w, std::uint64_t number, OrderFate fate,
                            FencingToken highest) {
  Master& master = masters_[index(a)].edit();
  const bool open = fate == OrderFate::stale || fate == OrderFate::unknown;
  if (open && holds(master) && master.hold.number() == number) {
    if (fate == OrderFate::unknown) master.duty.unknown = true;
    master.duty.debt = true;
    master.duty.void_since = true;
  } else if (open && !holds(master)) {
    master.debt = true;
  } else if (open && !master.hold.fenced()) {  // of a hold before, which did not wait for it
    master.duty.debt = true;
    master.duty.void_since = true;
  }
  tell(a, hold::OrderEnded{number, fate, worker_id(w), highest, 0});
}

}  // namespace fixkeep::model
