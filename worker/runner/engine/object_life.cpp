#include "worker/runner/engine/object_life.hpp"

#include <algorithm>
#include <utility>

#include "common/base/assert.hpp"
#include "worker/runner/container_end.hpp"

namespace fixkeep::worker::engine {
namespace {

constexpr std::size_t most_last_lines = 512;

std::string and_why(const std::string& why) {
  return why.empty() ? "" : ": " + why;
}

}  // namespace

// --- events --------------------------------------------------------------------------------------

Step ObjectLife::start(TimePoint now) {
  if (phase_ == Phase::idle) phase_ = Phase::creating;
  return go_on(now, {});
}

Step ObjectLife::adopt(TimePoint now) {
  phase_ = Phase::creating;
  adopted_ = may_be_there_ = may_run_ = must_look_ = true;
  return go_on(now, {});
}

Step ObjectLife::ask_to_end(TimePoint now) {
  aim_ = std::max(aim_, Aim::end);
  return go_on(now, {});
}

// A kill does not wait until the pause after ask_to_end() is over.
Step ObjectLife::kill(TimePoint now) {
  if (aim_ == Aim::end && phase_ == Phase::running) timer_.reset();
  aim_ = Aim::kill;
  return go_on(now, {});
}

// While the object is being made, only notes that there was news: the answer to the call under way
// may be older than this news.
Step ObjectLife::shown(const Sight& sight, TimePoint now) {
  if (phase_ == Phase::idle || phase_ == Phase::over) return {};
  if (phase_ != Phase::creating && sight.uid != sight_.uid) return {};
  if (sight.end && (sight.state == Sight::State::none || sight.state == Sight::State::unclear)) {
    last_end_ = sight.end;
    doubts_ = 0;
  }
  if (phase_ == Phase::creating || is_being_made()) {
    is_newer_ = is_newer_ || call_;
    return {};
  }
  Step out;
  if (sight.state != Sight::State::unclear) {
    see(sight, now, out);
  } else if (phase_ == Phase::running) {
    must_look_ = true;
    if (timer_ && timer_->meaning == Meaning::pause) timer_.reset();
  }
  return go_on(now, std::move(out));
}

Step ObjectLife::missing(TimePoint now) {
  if (phase_ == Phase::idle || phase_ == Phase::over) return {};
  if (phase_ == Phase::creating || is_being_made()) {
    is_newer_ = is_newer_ || call_;
    return {};
  }
  must_look_ = true;
  return go_on(now, {});
}

Step ObjectLife::due(TimePoint now) {
  const auto which = timer();
  FIXKEEP_ASSERT(which && which->at <= now, traits_.name);
  if (which->meaning == Meaning::late) {
    is_late_ = must_look_ = true;  // the last known state may be old
  } else {
    timer_.reset();
  }
  if (which->meaning == Meaning::ended) {
    must_look_ = true;
    looks_ = std::min(looks_ + 1, traits_.most_looks + 1);
  }
  return go_on(now, {});
}

Step ObjectLife::answered(const Answer& answer, TimePoint now) {
  FIXKEEP_ASSERT(call_, traits_.name);
  const Call call = *std::exchange(call_, std::nullopt);
  Step out;
  if (phase_ == Phase::over) return go_on(now, out);
  switch (call.ask) {
    case Ask::look: looked(answer, now, out); break;
    case Ask::make: made(answer, now, out); break;
    case Ask::end:
    case Ask::remove: ordered(call, answer, now); break;
    case Ask::read_log:
      // If the log cannot be read, only the game's last output is lost.
      end_->last_lines =
          answer.log.substr(answer.log.size() - std::min(answer.log.size(), most_last_lines));
      enter(Phase::removing);
      break;
  }
  return go_on(now, std::move(out));
}

// --- answers -------------------------------------------------------------------------------------

void ObjectLife::looked(const Answer& answer, TimePoint now, Step& out) {
  must_look_ = false;
  if (answer.sight) return see(*answer.sight, now, out);
  // Gives up after `most_tries` tries. If the object appears later, the runner removes it as a
  // stray.
  if (is_bounded() && tries_ >= most_tries) {
    give_up(traits_.engine + " does not answer" + and_why(answer.why), true);
    out.no_place = end_->how;
    return enter(Phase::over);
  }
  look_again(answer.why, answer.pause, now);
}

void ObjectLife::made(const Answer& answer, TimePoint now, Step& out) {
  started_ = started_ || answer.may_run;
  may_run_ = may_run_ || answer.may_run;
  if (std::exchange(is_newer_, false)) must_look_ = true;
  if (answer.sight) {
    see(*answer.sight, now, out);
    if (out.begun && traits_.looks_when_begun) must_look_ = true;
    return;
  }
  if (answer.kind == Answer::Kind::refused) {
    give_up(answer.why, answer.blameless);
    if (answer.no_place) out.no_place = end_->how;
    if (sight_.state == Sight::State::none && !answer.may_run) enter(Phase::over);
    return;
  }
  if (answer.kind == Answer::Kind::busy && !is_there()) {
    ++tries_;
    timer_ = Timer{now + std::max(answer.pause, shortest_pause), Meaning::pause};
    return;
  }
  may_be_there_ = true;
  look_again(answer.why, answer.pause, now);
}

void ObjectLife::ordered(const Call& call, const Answer& answer, TimePoint now) {
  if (answer.sight && answer.sight->state == Sight::State::none) return vanish();
  if (answer.kind == Answer::Kind::done) {
    const Taken end = call.hard ? Taken::kill : Taken::end;
    const Taken removal = call.hard ? Taken::force : Taken::removal;
    taken_ = std::max(taken_, call.ask == Ask::end ? end : removal);
    tries_ = 0;
    return;
  }
  // If a kill is refused again, the game may have just ended. The next look then waits a moment,
  // until the engine shows this end.
  const bool is_again = call.hard && answer.kind == Answer::Kind::refused && tries_ > 0;
  if (call.hard) looks_ = std::min(looks_ + 1, traits_.most_looks + 1);
  look_again(answer.why, is_again ? traits_.look_after_end : answer.pause, now);
}

// --- what the engine shows -----------------------------------------------------------------------

void ObjectLife::see(const Sight& sight, TimePoint now, Step& out) {
  using State = Sight::State;
  const bool is_another = !sight_.uid.empty() && sight.uid != sight_.uid;
  if (is_foreign(sight) && phase_ == Phase::creating && !adopted_) {
    give_up("there is a " + traits_.kind + " " + traits_.name + " that is not ours", true);
    return enter(Phase::over);
  }
  if (sight.state == State::none || is_foreign(sight) || is_another) return vanish();
  may_be_there_ = true;
  if (sight.state == State::going) {
    if (phase_ < Phase::reading) look_again("it is being removed", {}, now);
    return;
  }
  const auto place = std::exchange(sight_, sight).place;
  out.placed = sight_.place && !place;
  if (!sight_.place) sight_.place = place;
  may_run_ = sight.state == State::running || sight.state == State::waiting ||
             (sight.state == State::broken && !sight.end);
  started_ = started_ || sight.state == State::running;
  if (aim_ == Aim::run && phase_ != Phase::removing && sight.state != State::made) tries_ = 0;
  if (phase_ == Phase::creating) enter(Phase::waiting);
  if (phase_ >= Phase::reading) return;
  const bool broke_down = sight.state == State::broken && phase_ == Phase::running && sight.end;
  if (sight.state == State::ended || broke_down) {
    end_ = sight.end;
    const bool ran = end_->kind != GameEnd::Kind::not_started;
    const bool is_unseen = end_->kind == GameEnd::Kind::unknown;
    if (phase_ == Phase::waiting && is_unseen) {
      end_ = never_ran(end_->how.empty() ? "its node does not take it" : end_->how, true);
      return enter(Phase::removing);
    }
    if (is_unseen && end_->how.empty()) end_ = unseen();
    return enter(ran ? Phase::reading : Phase::removing);
  }
  if (phase_ == Phase::running) {
    if (sight.state == State::running) doubt_end(now);
  } else if (sight.state == State::running) {
    out.begun = !adopted_;
    enter(Phase::running);
  } else if (sight.state == State::broken) {
    give_up("cannot start" + and_why(sight.why), false);
  } else {
    wait_on(now, out);
  }
}

// Ignores a stage of waiting that is not later than the present stage: a delayed message may be
// older than the news that no node has room.
void ObjectLife::wait_on(TimePoint now, Step& out) {
  adopted_ = false;
  if (sight_.state == Sight::State::made) return;
  const bool came_late = awaits_ == Awaits::node && !sight_.node.empty();
  const Awaits start = came_late ? Awaits::start_there : Awaits::start;
  const Awaits stage = sight_.no_node ? Awaits::node : start;
  if (stage > awaits_) {
    awaits_ = stage;
    late_at_ = now + (stage == Awaits::node ? traits_.node_patience : traits_.start_patience);
    is_late_ = false;
  }
  if (!is_late_) return;
  const bool no_node = waits_for_a_node();
  const std::string why =
      no_node ? "no node has room for a " + traits_.kind : "it has not started in time";
  give_up(why + and_why(sight_.why), no_node);
  if (no_node) out.no_place = end_->how;
}

void ObjectLife::vanish() {
  if (phase_ == Phase::creating && !adopted_) {
    may_be_there_ = false;
    return;
  }
  if (!end_ && !told_ && !traits_.gone.empty()) end_ = unseen_end(traits_.gone);
  if (!end_ && !told_) {
    const std::string removed = "its " + traits_.kind + " was removed";
    if (last_end_) {
      end_ = last_end_->how.empty() ? unseen() : *last_end_;
      if (taken_ == Taken::nothing) end_->how += "; " + removed + " from outside";
    } else if (phase_ == Phase::creating) {
      end_ = unseen_end("it has no " + traits_.kind + " any more");
    } else if (phase_ == Phase::waiting && !started_) {
      end_ = never_ran(removed + " before it ran", true);
    } else {
      end_ = taken_ == Taken::nothing ? unseen_end(removed + " from outside") : unseen();
    }
  }
  enter(Phase::over);
}

GameEnd ObjectLife::unseen() const {
  return unseen_end("its " + traits_.kind + " was removed, and its end is unknown");
}

// Looks again if an event has reported an end but the game seems to run. Podman may show an ended
// game as running for a while, or a person has restarted the container.
void ObjectLife::doubt_end(TimePoint now) {
  if (!last_end_) return;
  if (++doubts_ > most_doubts) return last_end_.reset();
  must_look_ = true;
  timer_ = Timer{now + std::min(traits_.look_after_end, shortest_pause * doubts_), Meaning::pause};
}

// --- the next call -------------------------------------------------------------------------------

void ObjectLife::enter(Phase phase) {
  phase_ = phase;
  tries_ = 0;
  timer_.reset();
  if (phase == Phase::over) must_look_ = false;
}

// The next call will be `look`. The pause before it grows with the tries; before the first look
// there may be none.
void ObjectLife::look_again(const std::string& why, Duration at_least, TimePoint now) {
  tries_ = std::min(tries_ + 1, most_tries + 1);
  must_look_ = true;
  refusal_ = why;
  if (is_bounded() && tries_ > most_tries) {
    const bool is_nowhere = phase_ == Phase::creating;
    give_up(traits_.engine + " does not do it" + and_why(why), true);
    if (is_nowhere) enter(Phase::over);
    return;
  }
  if (tries_ == 1 && at_least == Duration{0}) return;
  const int doublings = std::max(tries_ - 2, 0);
  const Duration pause = std::min(traits_.longest_pause, shortest_pause * (1 << doublings));
  timer_ = Timer{now + std::max(at_least, pause), Meaning::pause};
}

void ObjectLife::give_up(const std::string& why, bool blameless) {
  if (!end_ && !told_) end_ = never_ran(why, blameless);
  enter(Phase::removing);
}

bool ObjectLife::is_bounded() const {
  return !adopted_ && !started_ && (phase_ == Phase::creating || has_to_be_made());
}

bool ObjectLife::has_to_be_made() const {
  return phase_ == Phase::waiting && sight_.state == Sight::State::made;
}

std::optional<ObjectLife::Timer> ObjectLife::timer() const {
  if (timer_) return timer_;
  if (phase_ != Phase::waiting || !late_at_ || is_late_) return std::nullopt;
  return Timer{*late_at_, Meaning::late};
}

ObjectLife::Taken ObjectLife::needed() const {
  if (phase_ == Phase::removing) {
    return sight_.is_dead || looks_ > traits_.most_looks ? Taken::force : Taken::removal;
  }
  if (phase_ != Phase::running || aim_ == Aim::run) return Taken::nothing;
  return aim_ == Aim::kill ? Taken::kill : Taken::end;
}

// Returns the next call. Nullopt: no call is needed before more news arrives.
std::optional<Call> ObjectLife::wanted() const {
  if (must_look_) return Call{Ask::look};
  switch (phase_) {
    case Phase::creating: return Call{Ask::make};
    case Phase::waiting: return has_to_be_made() ? std::optional{Call{Ask::make}} : std::nullopt;
    case Phase::running:
      if (needed() <= taken_) return std::nullopt;
      return Call{Ask::end, aim_ == Aim::kill};
    case Phase::reading: return Call{Ask::read_log};
    case Phase::removing:
      if (needed() <= taken_) return std::nullopt;
      return Call{Ask::remove, needed() == Taken::force};
    case Phase::idle:
    case Phase::over: return std::nullopt;
  }
  return std::nullopt;
}

void ObjectLife::append_bytes(std::string& out, TimePoint now) const {
  const auto add = [&out](auto value) {
    const auto number = static_cast<std::int64_t>(value);
    for (int shift = 0; shift < 64; shift += 8) {
      out.push_back(static_cast<char>(static_cast<std::uint64_t>(number) >> shift & 0xFFU));
    }
  };
  const auto left = [now](const std::optional<TimePoint>& at) {
    return at ? std::max(*at - now, Duration{-1}).count() : -2;
  };
  const auto add_end = [&add](const std::optional<GameEnd>& end) {
    add(end ? static_cast<int>(end->kind) : -1);
  };
  std::uint64_t bits = 0;
  for (const bool is : {adopted_, must_look_, may_be_there_, is_newer_, may_run_, started_,
                        is_late_, told_, sight_.no_node, sight_.node.empty(), sight_.is_dead,
                        sight_.place.has_value(), timer_.has_value(), call_.has_value()}) {
    bits = bits << 1U | (is ? 1U : 0U);
  }
  add(bits);
  for (const int count : {tries_, looks_, doubts_}) add(count);
  add(phase_);
  add(aim_);
  add(taken_);
  add(awaits_);
  add(sight_.state);
  out += sight_.uid + '\n';
  if (call_) add(2 * static_cast<int>(call_->ask) + (call_->hard ? 1 : 0));
  if (timer_) add(timer_->meaning);
  add(left(timer_ ? std::optional{timer_->at} : std::nullopt));
  add(left(late_at_));
  add_end(last_end_);
  add_end(end_);
}

// Reports the game's end as soon as no process of it runs. The removal of the object may still be
// under way.
Step ObjectLife::go_on(TimePoint now, Step out) {
  const auto before = call_;
  choose_call(now);
  if (call_ != before) out.call = call_;
  const bool nothing_runs = phase_ == Phase::over || (phase_ == Phase::removing && !may_run_);
  if (nothing_runs) out.ended = std::exchange(end_, std::nullopt);
  told_ = told_ || out.ended;
  out.gone = phase_ == Phase::over;
  return out;
}

void ObjectLife::choose_call(TimePoint now) {
  if (call_ || phase_ == Phase::over) return;
  const bool is_nowhere = !is_there() || phase_ == Phase::idle;
  const bool may_be_left = (is_nowhere || phase_ == Phase::waiting) && !must_look_;
  if (may_be_left && aim_ != Aim::run) {
    give_up("it was not wanted any more before it ran" + and_why(sight_.why), true);
    if (is_nowhere) return enter(Phase::over);
  }
  if (may_be_left && is_bounded() && tries_ >= most_tries) {
    give_up(traits_.engine + " does not start its " + traits_.kind + and_why(refusal_), true);
    if (is_nowhere) return enter(Phase::over);
  }
  if (phase_ == Phase::running && aim_ == Aim::kill && looks_ > traits_.most_looks) {
    enter(Phase::removing);
    end_ = unseen_end("it was killed, and " + traits_.engine + " does not say that it ended");
  }
  // Only a pause delays the next call. The timer `ended` does not.
  if (timer_ && timer_->meaning == Meaning::pause) return;
  call_ = wanted();
  if (!call_ && taken_ >= Taken::kill && !timer_) {
    timer_ = Timer{now + traits_.look_after_end, Meaning::ended};
  }
}

}  // namespace fixkeep::worker::engine
