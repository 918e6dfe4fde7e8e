#include "tests/model/room_model.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace fixkeep::model {

namespace life = worker::life;
using wire::CloseReason;
using wire::RoomPhase;
using worker::RoomLife;

namespace {

constexpr Duration tick = std::chrono::milliseconds{200};
constexpr Duration signs_within = 2 * tick;

worker::LifeRules rules_of(const RoomBudget& budget) {
  return {.boot_timeout = budget.boot_ticks * tick,
          .stop_grace = 2 * tick,
          .hears_first = tick,
          .close_empty_after = 3 * tick,
          .unwanted_after = 2 * tick,
          .looks_if_empty = budget.untold};
}

enum Kind : Step {
  pass,
  due,
  due_and_occupied,
  place,
  place_wrongly,
  begin,
  be_ready,
  exit,
  exit_blameless,
  exit_early,
  be_healthy,
  be_unhealthy,
  be_silent,
  ask_to_end,
  dismiss,
  drain,
  drain_until_soon,
  drain_until_later,
  take_seat,
  leave_seat,
  give_away,
  stop_keeping,
  restart_worker,
  restart_with_a_loss,
  be_seen,
  be_seen_starved,
  close_to_newcomers,
  open_to_newcomers,
  kinds,
};
constexpr std::array<std::string_view, kinds> names{
    "a tick passes",
    "its timer is over",
    "its timer is over, and somebody is in it",
    "it is placed",
    "it is placed where nothing can be",
    "its process begins",
    "it is ready",
    "its process exits",
    "its process exits without having run",
    "its process exits right after it was ready",
    "it gives a sign of life",
    "it does not answer probes any more",
    "it is silent",
    "it asks to end",
    "its worker stops",
    "it is drained",
    "it is drained, within a tick",
    "it is drained, within two ticks",
    "a seat is taken",
    "the last seat comes free",
    "the warm room is given away",
    "no master keeps it warm",
    "its worker is killed and goes on",
    "its worker is killed and goes on with a loss",
    "it is looked at",
    "it is looked at, and had no processor",
    "its game closes it to newcomers",
    "its game opens it to newcomers",
};

RoomLife::Remembered memory_of(const RoomLife& life) {
  RoomLife::Remembered memory{
      .phase = life.phase(), .reason = life.reason(), .placed = false, .drained_by = std::nullopt};
  if (life.phase() == RoomPhase::draining && life.timer()) memory.drained_by = life.timer()->at;
  return memory;
}

void append(std::string& out, std::int64_t value) {
  out.push_back(static_cast<char>(value));
}

// In ticks from now; what is long ago is all the same.
std::int64_t ticks(const std::optional<TimePoint>& at, TimePoint now) {
  return at ? std::max<std::int64_t>((*at - now) / tick, -10) : 100;
}

}  // namespace

RoomModel::RoomModel(const RoomBudget& budget)
    : left_(budget),
      life_(rules_of(budget), budget.queued, now_),
      taken_(!budget.warm),
      kept_(budget.warm),
      begun_(!budget.queued) {
  happen(life::NeedChanged{need()});
}

life::Need RoomModel::need() const {
  return {.taken = taken_, .came = came_, .warm = left_.warm, .kept = kept_, .over = over_};
}

bool RoomModel::is_wanted() const {
  return taken_ || (left_.warm && (kept_ || life_.phase() == RoomPhase::starting));
}

bool RoomModel::due() const {
  return life_.timer() && life_.timer()->at <= now_;
}

// Nothing is later than by a tick.
bool RoomModel::may_pass() const {
  const bool late =
      (life_.timer() && life_.timer()->at < now_) || (silent_at_ && *silent_at_ < now_);
  return !late || (gone_ && !life_.timer());
}

void RoomModel::add_time(std::vector<Step>& out) const {
  if (may_pass()) out.push_back(pass);
  if (due()) {
    out.push_back(Kind::due);
    using enum RoomLife::Meaning;
    const auto meaning = life_.timer()->meaning;
    if (meaning == empty || meaning == looking) out.push_back(due_and_occupied);
  }
  if (silent()) out.push_back(be_silent);
  if (!looked_at_) return;
  out.push_back(be_seen);
  if (left_.starved > 0) out.push_back(be_seen_starved);
}

void RoomModel::steps(std::vector<Step>& out) const {
  add_time(out);
  for (const Kind each : {place, place_wrongly, be_ready, exit, exit_blameless, exit_early,
                          be_healthy, be_unhealthy, ask_to_end, dismiss}) {
    out.push_back(each);
  }
  if (!begun_) out.push_back(begin);
  if (left_.drains > 0) {
    for (const Kind each : {drain, drain_until_soon, drain_until_later}) out.push_back(each);
  }
  if (!taken_ && !left_.warm && life_.takes_players()) out.push_back(take_seat);
  if (!taken_ && in_doubt_ && life_.phase() == RoomPhase::draining) out.push_back(take_seat);
  if (taken_) out.push_back(leave_seat);
  if (left_.warm && life_.takes_players()) out.push_back(give_away);
  if (kept_) out.push_back(stop_keeping);
  if (left_.decisions > 0) out.push_back(over_ ? open_to_newcomers : close_to_newcomers);
  if (left_.restarts > 0 && !gone_) {
    out.push_back(restart_worker);
    out.push_back(restart_with_a_loss);
  }
}

void RoomModel::take(Step step) {
  const auto drain_until = [this](std::optional<TimePoint> until) {
    --left_.drains;
    happen(life::Drained{.until = until, .occupied = taken_});
  };
  switch (static_cast<Kind>(step)) {
    case pass: now_ += tick; break;
    case Kind::due: be_due(); break;
    case due_and_occupied:
      seemed_occupied_ = true;
      happen(life::Due{.occupied = true});
      break;
    case close_to_newcomers:
    case open_to_newcomers:
      --left_.decisions;
      over_ = !over_;
      change_need(taken_, kept_);
      break;
    case be_seen_starved:
      --left_.starved;
      waited_ += tick;
      [[fallthrough]];
    case be_seen:
      looked_at_ = false;
      happen(life::Seen{.waited = waited_});
      break;
    case place:
      told_ = true;
      happen(life::Placed{.valid = true});
      break;
    case place_wrongly: happen(life::Placed{.valid = false}); break;
    case begin:
      begun_ = true;
      boots_from_ = now_;
      happen(life::Begun{});
      break;
    case be_ready: happen(life::Ready{need()}); break;
    case exit: happen(life::Exited{}); break;
    case exit_blameless: happen(life::Exited{.blameless = true}); break;
    case exit_early: happen(life::Exited{.early = true}); break;
    case be_healthy:
      if (life_.phase() != RoomPhase::closed) silent_at_ = now_ + signs_within;
      listened_ = false;
      happen(life::Healthy{});
      break;
    case be_unhealthy: happen(life::Unhealthy{}); break;
    case be_silent:
      silent_at_.reset();
      happen(life::Silent{});
      break;
    case ask_to_end: happen(life::AskedToEnd{}); break;
    case dismiss: happen(life::Dismissed{CloseReason::stopping}); break;
    case drain: drain_until({}); break;
    case drain_until_soon: drain_until(now_ + tick); break;
    case drain_until_later: drain_until(now_ + 2 * tick); break;
    case take_seat: change_need(true, false); break;
    case leave_seat: change_need(false, false); break;
    case give_away:
      left_.warm = false;
      change_need(false, false);  // as RoomHost does, before its claims get their seats
      change_need(true, false);
      break;
    case stop_keeping: change_need(false, false); break;
    case restart_worker: restart(true); break;
    case restart_with_a_loss: restart(false); break;
    case kinds: break;
  }
}

// --- what happens --------------------------------------------------------------------------------

void RoomModel::happen(const life::Event& event) {
  life::Outputs out;
  life_.step(event, now_, out);
  for (const life::Output& output : out) {
    std::visit([this](const auto& which) { perform(which); }, output);
  }
}

// A game that had no processor has that time again.
void RoomModel::be_due() {
  const bool was_heard = life_.timer()->meaning == RoomLife::Meaning::hearing;
  happen(life::Due{});
  const auto& timer = life_.timer();
  if (!was_heard || !timer || timer->meaning != RoomLife::Meaning::boot) return;
  check(timer->at <= now_ + waited_, "it boots again for longer than it has waited");
  boots_from_ = timer->at - rules_of(left_).boot_timeout;
}

void RoomModel::change_need(bool taken, bool kept) {
  came_ = came_ || (taken && life_.phase() == RoomPhase::open);
  taken_ = taken;
  kept_ = kept;
  seemed_occupied_ = false;
  happen(life::NeedChanged{need()});
}

void RoomModel::restart(bool complete) {
  --left_.restarts;
  RoomLife::Remembered memory = memory_of(life_);
  memory.placed = told_;
  life_ = RoomLife{rules_of(left_), memory, now_};
  begun_ = true;
  boots_from_ = now_;
  signalled_.reset();
  killed_ = listened_ = looked_at_ = false;
  waited_ = {};
  kept_ = false;  // no master is connected yet
  in_doubt_ = !complete;
  if (silent_at_) silent_at_ = now_ + signs_within;
  happen(life::Recovered{.need = need(), .complete = complete});
}

void RoomModel::perform(const life::Open&) {
  check(told_, "it opens, and nobody was told where it is");
  check(!opened_, "it opens twice");
  check(reason_ == CloseReason::none, "it opens after it was closed");
  opened_ = true;
}

void RoomModel::perform(const life::Close& close) {
  check(reason_ == CloseReason::none, "it closes twice");
  check(close.reason != CloseReason::none, "it closes for no reason");
  reason_ = close.reason;
  silent_at_.reset();
}

void RoomModel::perform(const life::TellDrain&) {
  check(life_.phase() == RoomPhase::draining, "a drain that is none is told");
}

void RoomModel::perform(const life::Signal&) {
  check(reason_ != CloseReason::none, "it is asked to end while it is open");
  check(!signalled_, "it is asked to end twice");
  check(!killed_ && !gone_, "it is asked to end after its end");
  signalled_ = now_;
}

void RoomModel::perform(const life::Kill& kill) {
  const worker::LifeRules rules = rules_of(left_);
  check(reason_ != CloseReason::none, "it is killed while it is open");
  check(!killed_, "it is killed twice");
  check(!gone_, "what is gone is killed");
  killed_ = true;
  if (signalled_) {
    check(now_ >= *signalled_ + rules.stop_grace, "it is killed within its grace");
  } else if (kill.silent) {
    check(listened_, "it is killed before its sign of life was listened for");
  } else {
    check(reason_ == CloseReason::boot_timeout, "it is killed without its grace");
    check(now_ >= boots_from_ + rules.boot_timeout + rules.hears_first,
          "it is killed before it had its time to boot, and was heard");
  }
}

void RoomModel::perform(const life::Look&) {
  looked_at_ = true;
}

void RoomModel::perform(const life::ListenFor& listen) {
  listened_ = true;
  silent_at_ = now_ + listen.time;
}

void RoomModel::perform(const life::Forget&) {
  check(!gone_, "it is forgotten twice");
  check(reason_ != CloseReason::none, "it is forgotten and was not closed");
  gone_ = true;
}

// --- what holds ----------------------------------------------------------------------------------

void RoomModel::check(bool holds, const char* otherwise) {
  if (!holds && wrong_ == nullptr) wrong_ = otherwise;
}

std::optional<std::string> RoomModel::violation(const std::vector<Step>&) const {
  if (wrong_ != nullptr) return wrong_;
  const worker::LifeRules rules = rules_of(left_);
  const bool closed = life_.phase() == RoomPhase::closed;
  const auto& timer = life_.timer();
  if (closed != (reason_ != CloseReason::none)) return "it is closed, and nobody was told";
  if (closed && life_.reason() != reason_) return "its reason has changed";
  if (gone_) return timer ? std::optional{"what is gone has a timer"} : std::nullopt;
  if (closed) {
    const bool has_grace = signalled_ && timer && timer->meaning == RoomLife::Meaning::grace &&
                           timer->at == *signalled_ + rules.stop_grace;
    if (!killed_ && !has_grace) return "nothing ends a room that is closed";
    return std::nullopt;
  }
  if (!timer && !is_wanted()) return "nobody needs it, and nothing ends it";
  const bool boots = life_.phase() == RoomPhase::starting && begun_;
  if (!timer && boots) return "it boots for ever";
  const TimePoint heard_by = boots_from_ + rules.boot_timeout + 2 * rules.hears_first;
  if (boots && now_ > heard_by + 3 * tick) return "it boots for longer than it may";
  if (!timer) return std::nullopt;
  using enum RoomLife::Meaning;
  if (timer->meaning == grace) return "it has its grace, and is not closed";
  const bool for_nobody =
      timer->meaning == empty || timer->meaning == looking || timer->meaning == unwanted;
  if (for_nobody && is_wanted()) return "it is to close for nobody, and somebody needs it";
  const bool waits = timer->meaning == empty || timer->meaning == unwanted;
  const bool in_vain = over_ && !is_wanted() && !in_doubt_ && !seemed_occupied_;
  if (in_vain && waits && timer->at > now_) return "it waits for players who cannot come";
  return std::nullopt;
}

void RoomModel::append_bytes(std::string& out) const {
  life_.append_bytes(out, now_);
  for (const int count : {left_.restarts, left_.starved, left_.drains, left_.decisions})
    append(out, count);
  std::int64_t bits = 0;
  for (const bool is :
       {left_.warm, wrong_ != nullptr, taken_, kept_, came_, told_, begun_, in_doubt_, looked_at_,
        opened_, listened_, killed_, gone_, over_, seemed_occupied_}) {
    bits = 2 * bits + (is ? 1 : 0);
  }
  append(out, bits & 0xFF);
  append(out, bits >> 8);
  append(out, static_cast<std::int64_t>(reason_));
  append(out, ticks(silent_at_, now_));
  append(out, ticks(signalled_, now_));
  append(out, ticks(boots_from_, now_));
  append(out, waited_ / tick);
}

std::string RoomModel::describe(Step step) {
  return std::string{names.at(step)};
}

}  // namespace fixkeep::model
