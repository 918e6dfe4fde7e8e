#include "worker/core/room_life.hpp"

#include <algorithm>
#include <utility>

#include "common/base/assert.hpp"

namespace fixkeep::worker {

using life::Blame;
using life::Why;
using wire::CloseReason;
using wire::RoomPhase;

namespace {

constexpr Duration look_again = std::chrono::seconds{1};  // shortest time between two Looks
constexpr Duration hardly_starved = std::chrono::milliseconds{100};

void append(std::string& out, auto value) {
  const auto number = static_cast<std::int64_t>(value);
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

}  // namespace

RoomLife::RoomLife(const LifeRules& rules, bool queued, TimePoint now)
    : rules_(rules), queued_(queued) {
  if (!queued_) begin_boot(now);
}

RoomLife::RoomLife(const LifeRules& rules, const Remembered& remembered, TimePoint now)
    : rules_(rules),
      phase_(remembered.phase),
      reason_(remembered.reason),
      placed_(remembered.placed),
      boot_by_(now + rules.boot_timeout) {
  if (remembered.drained_by) timer_ = {*remembered.drained_by, Meaning::drain};
}

void RoomLife::step(const life::Event& event, TimePoint now, life::Outputs& out) {
  std::visit([&](const auto& which) { on(which, now, out); }, event);
}

// --- from its order until it is open -------------------------------------------------------------

void RoomLife::begin_boot(TimePoint now) {
  boot_by_ = now + rules_.boot_timeout;
  // An earlier timer stays: it is the timer `unwanted`.
  if (!timer_ || boot_by_ < timer_->at) timer_ = {boot_by_, Meaning::boot};
}

// A room with an invalid place closes. The fault is in the runner, not in the game.
void RoomLife::on(const life::Placed& placed, TimePoint now, life::Outputs& out) {
  if (closed()) return;
  if (placed.valid) {
    placed_ = true;
    return;
  }
  const bool starting = phase_ == RoomPhase::starting;
  end(starting ? CloseReason::boot_failed : CloseReason::unhealthy, now, out, Why::place_invalid);
}

void RoomLife::on(const life::Begun&, TimePoint now, life::Outputs&) {
  if (std::exchange(queued_, false) && phase_ == RoomPhase::starting) begin_boot(now);
}

void RoomLife::on(const life::Ready& ready, TimePoint now, life::Outputs& out) {
  if (phase_ != RoomPhase::starting) return;
  if (!placed_) return end(CloseReason::boot_failed, now, out, Why::place_unknown);
  phase_ = RoomPhase::open;
  listened_ = 0;
  timer_.reset();
  out.emplace_back(life::Open{});
  needed(ready.need, now, out);
}

// --- need ----------------------------------------------------------------------------------------

void RoomLife::on(const life::NeedChanged& changed, TimePoint now, life::Outputs& out) {
  needed(changed.need, now, out);
}

void RoomLife::needed(const life::Need& need, TimePoint now, life::Outputs& out) {
  if (phase_ == RoomPhase::draining && !need.taken) return end(CloseReason::drained, now, out);
  if (phase_ == RoomPhase::draining && timer_ && timer_->meaning != Meaning::drain) timer_.reset();
  if (!takes_players()) return;
  const bool starting = phase_ == RoomPhase::starting;
  const bool boots = starting && !queued_;
  const auto if_wanted = boots ? std::optional{Timer{boot_by_, Meaning::boot}} : std::nullopt;
  if (timer_ && timer_->meaning == Meaning::hearing) return;  // messages are read first
  // A starting warm room goes on even if no master wants it, because its master may have lost the
  // link for a moment.
  if (need.taken || (starting ? need.warm : need.kept)) {
    timer_ = if_wanted;
    return;
  }
  const TimePoint until = now + stays_for(need);
  if (timer_ != if_wanted && !(need.over && waits_for_players() && until < timer_->at)) return;
  if (boots && boot_by_ <= until) return;
  timer_ = {until, starting ? Meaning::unwanted : Meaning::empty};
}

bool RoomLife::waits_for_players() const {
  return timer_ && (timer_->meaning == Meaning::unwanted || timer_->meaning == Meaning::empty);
}

// A player that has been in a room may come back, so the room waits for the time
// `close_empty_after`. A warm room waits as long. If no player has entered the room, its clients
// have probably given up. The room then lasts no longer than an unwanted starting room. A room that
// no player can join any more ends immediately.
Duration RoomLife::stays_for(const life::Need& need) const {
  if (need.over) return Duration{0};
  if (phase_ == RoomPhase::starting) return rules_.unwanted_after;
  if (need.came || need.warm) return rules_.close_empty_after;
  return std::min(rules_.unwanted_after, rules_.close_empty_after);
}

// A starting room has no players yet. The players that wait for this room get another room.
void RoomLife::on(const life::Drained& drained, TimePoint now, life::Outputs& out) {
  if (closed()) return;
  if (phase_ == RoomPhase::starting || !drained.occupied) {
    return end(CloseReason::drained, now, out);
  }
  const auto until = drained.until;
  const bool sooner = until && (!timer_ || *until < timer_->at);
  if (std::exchange(phase_, RoomPhase::draining) == RoomPhase::draining) {
    if (!sooner) return;
  } else {
    timer_.reset();
  }
  if (until) timer_ = {*until, Meaning::drain};
  out.emplace_back(life::TellDrain{});
}

// If `complete` is false, seats may be missing and unknown players may be in the game. The room
// then gives out no more seats, and ends when its players have left.
void RoomLife::on(const life::Recovered& recovered, TimePoint now, life::Outputs& out) {
  if (closed()) return ask_to_end(Why::closed, now, out);
  if (phase_ == RoomPhase::starting) timer_ = {boot_by_, Meaning::boot};
  if (recovered.complete) return needed(recovered.need, now, out);
  if (phase_ == RoomPhase::starting) return end(CloseReason::drained, now, out);
  phase_ = RoomPhase::draining;
  if (!recovered.need.taken) timer_ = {now + rules_.close_empty_after, Meaning::empty};
}

// --- how it ends ---------------------------------------------------------------------------------

void RoomLife::on(const life::Exited& exited, TimePoint, life::Outputs& out) {
  if (process_ == Process::gone) return;
  if (phase_ == RoomPhase::starting) {
    close(CloseReason::boot_failed, out, exited.blameless ? Blame::none : Blame::exited);
  } else if (!closed()) {
    close(CloseReason::crashed, out, exited.early ? Blame::exited_early : Blame::none);
  }
  timer_.reset();
  process_ = Process::gone;
  out.emplace_back(life::Forget{.unbegun = std::exchange(queued_, false)});
}

void RoomLife::on(const life::Healthy&, TimePoint, life::Outputs&) {
  if (!closed()) listened_ = 0;
}

// The game gets its grace, because it may be able to save its players' progress.
void RoomLife::on(const life::Unhealthy&, TimePoint now, life::Outputs& out) {
  if (closed() || phase_ == RoomPhase::starting) return;
  end(CloseReason::unhealthy, now, out, Why::unhealthy);
}

void RoomLife::on(const life::Silent&, TimePoint, life::Outputs& out) {
  if (closed()) return;
  const bool first = listened_ == 0;
  if (first || (listened_ == 1 && !answered_)) {
    ++listened_;
    if (first) ask(out);
    out.emplace_back(life::ListenFor{rules_.hears_first});
    return;
  }
  if (const Duration more = starved(); more > hardly_starved) {
    out.emplace_back(life::ListenFor{more});
    return;
  }
  const bool starting = phase_ == RoomPhase::starting;
  close(starting ? CloseReason::boot_failed : CloseReason::unhealthy, out,
        starting ? Blame::silent : Blame::none);
  kill(true, out);
}

void RoomLife::on(const life::AskedToEnd&, TimePoint now, life::Outputs& out) {
  if (closed()) return;
  const bool starting = phase_ == RoomPhase::starting;
  close(starting ? CloseReason::boot_failed : CloseReason::shut_down, out,
        starting ? Blame::ended : Blame::none);
  ask_to_end(Why::closed, now, out);
}

void RoomLife::on(const life::Dismissed& dismissed, TimePoint now, life::Outputs& out) {
  if (!closed()) end(dismissed.reason, now, out);
}

void RoomLife::on(const life::Due& due, TimePoint now, life::Outputs& out) {
  if (!timer_ || now < timer_->at) return;
  const bool asked = timer_->meaning == Meaning::hearing || timer_->meaning == Meaning::looking;
  if (asked && !answered_ && !std::exchange(heard_again_, true)) {
    timer_->at = now + rules_.hears_first;
    return;
  }
  switch (std::exchange(timer_, std::nullopt)->meaning) {
    case Meaning::unwanted: return end(CloseReason::empty, now, out, Why::for_nobody);
    case Meaning::boot: return look(Meaning::hearing, now, out);
    case Meaning::hearing: return heard(now, out);
    case Meaning::empty:
      if (rules_.looks_if_empty) return look(Meaning::looking, now, out);
      [[fallthrough]];
    case Meaning::looking: return empty(due.occupied, now, out);
    case Meaning::drain: return end(CloseReason::drained, now, out);
    case Meaning::grace: return kill(false, out);
  }
}

// A worker that runs late can come to a timer before it has read older messages. When it has read
// the answer, it has read them too. So a missing answer prolongs each wait once.
void RoomLife::ask(life::Outputs& out) {
  out.emplace_back(life::Look{});
  answered_ = false;
}

void RoomLife::look(Meaning until, TimePoint now, life::Outputs& out) {
  ask(out);
  heard_again_ = false;
  timer_ = {now + rules_.hears_first, until};
}

void RoomLife::heard(TimePoint now, life::Outputs& out) {
  if (const Duration more = starved(); more > hardly_starved) {
    boot_by_ = now + more;
    timer_ = {boot_by_, Meaning::boot};
    return;
  }
  close(CloseReason::boot_timeout, out, Blame::slow);
  kill(false, out);
}

void RoomLife::empty(bool occupied, TimePoint now, life::Outputs& out) {
  if (occupied) {
    timer_ = {now + std::max(rules_.close_empty_after, look_again), Meaning::empty};
    return;
  }
  const bool drains = phase_ == RoomPhase::draining;
  end(drains ? CloseReason::drained : CloseReason::empty, now, out, Why::empty);
}

void RoomLife::on(const life::Seen& seen, TimePoint, life::Outputs&) {
  seen_ = seen.waited;
  answered_ = true;
}

Duration RoomLife::starved() {
  return std::max(Duration{}, seen_ - std::exchange(waited_, seen_));
}

void RoomLife::close(CloseReason reason, life::Outputs& out, Blame blame) {
  FIXKEEP_ASSERT(!closed(), "closed as " + std::to_string(static_cast<int>(reason_)));
  phase_ = RoomPhase::closed;
  reason_ = reason;
  timer_.reset();
  out.emplace_back(life::Close{reason, blame});
}

void RoomLife::ask_to_end(Why why, TimePoint now, life::Outputs& out) {
  process_ = Process::signalled;
  out.emplace_back(life::Signal{why});
  timer_ = {now + rules_.stop_grace, Meaning::grace};
}

void RoomLife::end(CloseReason reason, TimePoint now, life::Outputs& out, Why why) {
  close(reason, out);
  ask_to_end(why, now, out);
}

void RoomLife::kill(bool silent, life::Outputs& out) {
  process_ = Process::killed;
  timer_.reset();
  out.emplace_back(life::Kill{silent});
}

void RoomLife::append_bytes(std::string& out, TimePoint now) const {
  const auto left = [now](TimePoint at) { return std::max((at - now).count(), {}); };
  append(out, phase_);
  append(out, reason_);
  append(out, process_);
  append(out, queued_);
  append(out, placed_);
  append(out, listened_);
  append(out, answered_);
  append(out, heard_again_);
  append(out, left(boot_by_));
  append(out, (seen_ - waited_).count());
  append(out, timer_ ? static_cast<int>(timer_->meaning) : -1);
  append(out, timer_ ? left(timer_->at) : 0);
}

}  // namespace fixkeep::worker
