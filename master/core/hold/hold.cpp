#include "master/core/hold/hold.hpp"

#include <algorithm>
#include <utility>

#include "common/base/assert.hpp"
#include "lock/core/machine_bytes.hpp"

namespace fixkeep::master {

using Phase = Hold::Phase;

void Hold::step(const hold::Event& event, TimePoint now, hold::Outputs& out) {
  std::visit([&](const auto& happened) { on(happened, now, out); }, event);
}

void Hold::held_up(Duration late) {
  now_.limit += late;
  now_.await_until += late;
}

hold::GiveBack Hold::decline(const hold::Granted& grant) {
  return {grant.token, grant.token, grant.fence, grant.needs_fence, false};
}

// --- the lock

void Hold::on(const hold::Granted& grant, TimePoint now, hold::Outputs& out) {
  FIXKEEP_ASSERT(!active(), "granted twice");
  ++number_;
  now_.phase = Phase::awaiting;
  now_.token = grant.token;
  now_.highest = grant.token;
  now_.basis = grant.fence;
  now_.fence_owed = grant.needs_fence || debt_;
  now_.limit = now + options_.longest;
  now_.await_until = now + std::min(options_.await, options_.longest / 2);
  for (const WorkerRun& run : grant.missing) now_.awaited.emplace(run, false);
  out.emplace_back(hold::LookAt{now_.limit});
  if (!now_.awaited.empty() || grant.others_expected) {
    out.emplace_back(hold::LookAt{now_.await_until});
  }
}

void Hold::on(const hold::LockLost&, TimePoint, hold::Outputs& out) {
  if (!active()) return;
  // Open orders may still be carried out, and only a fence shows their result. So the next hold
  // must fence.
  if (now_.orders > 0 || now_.fence_owed) debt_ = true;
  out.emplace_back(hold::NoteUsed{std::max(now_.token, now_.highest).counter});
  now_ = {};
}

void Hold::release(bool pause, hold::Outputs& out, bool orders_named) {
  debt_ = now_.fate_unknown || now_.fence_owed || (now_.orders > 0 && !orders_named);
  out.emplace_back(
      hold::GiveBack{std::max(now_.highest, now_.token), now_.token, now_.basis, debt_, pause});
  now_ = {};
}

// --- workers

void Hold::on(const hold::LinkChanged& changed, TimePoint, hold::Outputs&) {
  if (!active()) return;
  now_.links_changed = true;
  for (auto& [run, relinked] : now_.awaited) relinked = relinked || run.first == changed.worker;
}

void Hold::on(const hold::WorkerKnown& worker, TimePoint, hold::Outputs&) {
  std::erase_if(now_.awaited, [&](const auto& entry) {
    const auto& [run, relinked] = entry;
    return run.first == worker.worker && (run.second == worker.run || relinked);
  });
}

void Hold::on(const hold::RunMissing& missing, TimePoint, hold::Outputs& out) {
  if (!active()) return;
  now_.awaited.emplace(missing.run, false);
  out.emplace_back(hold::LookAt{now_.await_until});
}

// The seats of the overdue room no longer count. Before another room is ordered in its place, the
// fence shows the overdue room or makes its order void.
void Hold::on(const hold::RoomOverdue&, TimePoint, hold::Outputs&) {
  if (!active() || now_.fence.begun()) return;
  now_.fence_owed = true;
  now_.above_all = now_.above_all || now_.next_index > 0;
}

bool Hold::all_came(const hold::Look& look, TimePoint now, hold::Outputs& out) {
  if (now < now_.await_until) {
    return now_.awaited.empty() && !look.others_expected && look.all_known;
  }
  if (!now_.awaited.empty()) {
    hold::WaitedInVain vain;
    for (const auto& [run, relinked] : now_.awaited) vain.runs.insert(run);
    now_.awaited.clear();
    out.emplace_back(std::move(vain));
  }
  return look.all_known;
}

// --- the fence

bool Hold::needs_round() const {
  const Fence& fence = now_.fence;
  const bool refused = fence.all_answered() && fence.refused();
  return now_.above_all || refused || (fence.begun() ? now_.links_changed : now_.fence_owed);
}

void Hold::begin_fence(std::uint64_t used, hold::Outputs& out) {
  const bool again = now_.fence.begun() || now_.above_all;
  now_.highest = std::max({now_.highest, now_.fence.highest(), now_.token});
  // A new token must also be above `used`: workers may have seen tokens of this master's earlier
  // runs.
  if (again || now_.next_index > 0 || now_.token.counter <= used) {
    now_.highest.counter = std::max(now_.highest.counter, used);
    now_.token = token_after(now_.highest, options_.self);
    now_.highest = now_.token;
    now_.next_index = 0;
  }
  ++now_.rounds;
  now_.fence_owed = true;
  now_.above_all = false;
  now_.links_changed = false;
  now_.tries = 0;
  now_.fence.begin(now_.token);
  now_.phase = Phase::fencing;
  out.emplace_back(hold::Prepare{now_.token, again});
}

void Hold::on(const hold::Asked& asked, TimePoint, hold::Outputs&) {
  if (now_.phase == Phase::fencing) now_.fence.asked(asked.workers);
}

void Hold::on(const hold::PromiseAnswered& answer, TimePoint, hold::Outputs&) {
  if (answer.token != now_.token) return;  // answers an earlier round
  now_.fence.answered(answer.worker, answer.promised, answer.highest);
}

// --- progress

void Hold::on(const hold::Look& look, TimePoint now, hold::Outputs& out) {
  if (!active()) return;
  if (now >= now_.limit || now_.rounds > options_.fence_rounds || look.stopping) {
    release(true, out);
    return;
  }
  if (now_.phase == Phase::ordering) {
    orders_done(look, out);
    return;
  }
  if (!look.somebody_waits) {
    release(false, out);
    return;
  }
  // Another master may see the rooms that this master cannot see, so this holder releases the lock.
  if (look.out_of_sight) {
    release(true, out);
    return;
  }
  if (!all_came(look, now, out)) return;
  if (!now_.fence.begun() && now_.links_changed) {
    now_.fence_owed = true;
    // If this hold has already ordered rooms with its token, the fence needs a higher token.
    now_.above_all = now_.above_all || now_.next_index > 0;
  }
  if (needs_round()) {
    begin_fence(look.used, out);
    return;
  }
  if (now_.fence.begun() && !now_.fence.complete()) return;
  if (now_.fence.begun()) now_.basis = now_.token;
  now_.fence_owed = false;
  last_look(look, out);
}

void Hold::last_look(const hold::Look& look, hold::Outputs& out) {
  if (now_.phase != Phase::trying) {
    now_.phase = Phase::trying;
    out.emplace_back(hold::TrySeats{});
    return;
  }
  // While seats are free, the holder asks for them and orders no rooms. If seats become free one by
  // one, this must not last without end: after `most_tries` tries the holder releases the lock. The
  // remaining claims then make the group acquire the lock again.
  const bool gives_up = now_.tries >= most_tries && look.seats_free;
  if (look.room_needed && !gives_up) {
    out.emplace_back(hold::OrderRooms{now_.token, now_.next_index, now_.basis});
  } else if (!look.asking) {
    release(false, out);
  }
}

void Hold::on(const hold::SeatsAsked&, TimePoint, hold::Outputs&) {
  if (now_.phase == Phase::trying) ++now_.tries;
}

// --- orders

void Hold::on(const hold::Ordered& ordered, TimePoint, hold::Outputs& out) {
  if (now_.phase != Phase::trying) return;
  if (ordered.rooms == 0) {
    release(false, out);
    return;
  }
  now_.phase = Phase::ordering;
  now_.orders += ordered.rooms;
  now_.next_index += ordered.rooms;
  now_.refused = false;
}

void Hold::on(const hold::OrderEnded& ended, TimePoint, hold::Outputs&) {
  const bool ours = active() && ended.hold == number_;
  if (ours) --now_.orders;
  switch (ended.fate) {
    case OrderFate::carried_out: return;
    case OrderFate::refused:
      if (!ours) return;
      now_.refused = true;
      if (now_.excluded.empty()) now_.excluded_at = ended.capacity;
      now_.excluded.insert(ended.worker);
      return;
    case OrderFate::no_warm:
      if (ours) now_.refused = true;
      return;
    case OrderFate::stale:
      debt_ = true;
      if (!ours && (!active() || fenced())) return;
      now_.above_all = true;
      now_.fence_owed = true;
      now_.highest = std::max(now_.highest, ended.highest);
      return;
    case OrderFate::unknown:
      debt_ = true;
      if (ours || (active() && !fenced())) now_.fate_unknown = true;
      return;
  }
}

void Hold::orders_done(const hold::Look& look, hold::Outputs& out) {
  if (now_.orders > 0) {
    const bool in_doubt = now_.fate_unknown || now_.fence_owed || now_.refused;
    if (look.orders_named && !in_doubt) release(false, out, true);
    return;
  }
  const bool more = !now_.fate_unknown && look.room_needed && !look.out_of_sight &&
                    (now_.above_all || now_.refused);
  if (!more) {
    release(false, out);
    return;
  }
  now_.refused = false;
  now_.tries = 0;
  now_.phase = Phase::awaiting;
  out.emplace_back(hold::TrySeats{});  // seats may have become free meanwhile
}

void Hold::append_bytes(std::string& out) const {
  lock::MachineBytes bytes{out};
  bytes.put(now_.phase, number_, debt_);
  if (!active()) return;
  bytes.put(now_.token, now_.highest, now_.basis, now_.limit, now_.await_until, now_.awaited,
            now_.fence_owed, now_.above_all, now_.links_changed, now_.fate_unknown, now_.refused);
  now_.fence.append_bytes(out);
  bytes.put(now_.rounds, now_.tries, now_.orders, now_.next_index, now_.excluded, now_.excluded_at);
}

}  // namespace fixkeep::master
