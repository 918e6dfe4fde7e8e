#include "worker/runner/docker/container_life.hpp"

#include <algorithm>
#include <utility>

#include "common/base/assert.hpp"
#include "worker/runner/container_end.hpp"

namespace fixkeep::worker::docker {
namespace {

constexpr std::size_t most_last_lines = 512;

bool is_good(unsigned status) {
  return status >= 200 && status < 300;
}
// The engine has understood and refuses.
bool is_refusal(unsigned status) {
  return status >= 400 && status < 500;
}

// An engine tells only in words why it cannot start a container. A port that another program has is
// not the game's fault.
bool says_port_is_taken(const std::string& message) {
  return message.find("already allocated") != std::string::npos ||
         message.find("already in use") != std::string::npos;
}

}  // namespace

// --- what comes in -------------------------------------------------------------------------------

LifeStep ContainerLife::start(bool is_looked_at) {
  is_mine_ = true;
  is_looked_at_ = is_looked_at;
  return next();
}

LifeStep ContainerLife::adopt(bool is_looked_at) {
  is_mine_ = true;
  is_looked_at_ = is_looked_at;
  adopted_ = true;
  may_be_there_ = true;
  may_run_ = true;
  look_soon();
  return next();
}

LifeStep ContainerLife::ask_to_end() {
  wants_signal_ = true;
  return next();
}

LifeStep ContainerLife::kill() {
  wants_kill_ = true;
  return next();
}

LifeStep ContainerLife::noticed(std::optional<int> exit_code) {
  if (!is_mine_) return {};
  if (exit_code) {
    exit_code_ = exit_code;
    doubts_ = 0;
  }
  // An answer is on its way if the container is being created, started or removed.
  if (phase_ == Phase::running || (phase_ == Phase::starting && start_asked_)) look_soon();
  return next();
}

LifeStep ContainerLife::rang() {
  if (!std::exchange(pausing_, false)) return next();
  if (phase_ == Phase::running) look_soon();
  return next();
}

LifeStep ContainerLife::answered(EngineAsk asked, const EngineAnswer& answer) {
  FIXKEEP_ASSERT(under_way_ == asked, std::to_string(static_cast<int>(asked)));
  under_way_.reset();
  switch (asked) {
    case EngineAsk::look: looked(answer); break;
    case EngineAsk::create: created(answer); break;
    case EngineAsk::fill: filled(answer); break;
    case EngineAsk::start: started(answer); break;
    case EngineAsk::signal: signalled(answer); break;
    case EngineAsk::kill: killed(answer); break;
    case EngineAsk::read_log:
      // A missing log costs only output.
      end_->last_lines =
          answer.log.substr(answer.log.size() - std::min(answer.log.size(), most_last_lines));
      enter(Phase::removing);
      if (answer.status == 0) look_soon();
      break;
    case EngineAsk::remove: removed(answer); break;
  }
  return next();
}

// --- answers -------------------------------------------------------------------------------------

void ContainerLife::looked(const EngineAnswer& answer) {
  must_look_ = false;
  if (answer.status == 404) return found_none();
  if (answer.found) return found(*answer.found);
  // Its fate does not matter as long as it was never started.
  if (!start_asked_ && !adopted_ && tries_ >= most_tries && !end_) {
    end_ = never_ran("the engine does not answer: " + answer.message, true);
    return enter(Phase::over);
  }
  look_again(answer.message);
}

void ContainerLife::found(const Container& container) {
  if (container.labels != labels_) {
    if (phase_ != Phase::creating) return found_none();
    not_started("there is a container " + container.name + " that is not ours", true);
    return enter(Phase::over);
  }
  may_be_there_ = true;
  using State = ContainerState;
  if (container.state != State::removing) may_run_ = container.state == State::running;
  if (phase_ >= Phase::reading) return;
  switch (container.state) {
    case ContainerState::created:
      if (!container.error.empty()) {
        not_started("cannot start: " + container.error, says_port_is_taken(container.error));
      } else if (phase_ == Phase::creating) {
        enter(Phase::filling);
      }
      return;
    case ContainerState::running:
      tries_ = 0;
      if (phase_ == Phase::running) return doubt_end();
      start_asked_ = true;
      begun_now_ = !adopted_;
      return enter(Phase::running);
    case ContainerState::exited: return has_ended(container);
    case ContainerState::removing: return look_again("it is being removed");
    case ContainerState::unknown: return;  // a look says more than a list
  }
}

void ContainerLife::found_none() {
  const bool was_removing = phase_ == Phase::removing;
  if (phase_ == Phase::creating && !adopted_) {
    may_be_there_ = false;
    return;
  }
  if (!was_removing && !end_) {
    if (exit_code_) {
      end_with_code(*exit_code_, false);
      end_->how += "; somebody has removed its container";
    } else if (start_asked_ || adopted_) {
      end_ =
          unseen_end(adopted_ && phase_ == Phase::creating ? "it has no container any more"
                                                           : "somebody has removed its container");
    } else {
      end_ = never_ran("somebody has removed its container before it was started", true);
    }
  }
  enter(Phase::over);
}

void ContainerLife::created(const EngineAnswer& answer) {
  may_be_there_ = true;
  if (is_good(answer.status)) return enter(Phase::filling);
  if (answer.status == 409) return look_again(answer.message);
  if (!is_refusal(answer.status)) return look_again(answer.message);
  not_started("cannot create its container: " + answer.message, answer.status == 404);
  enter(Phase::over);  // the engine says that there is no container
}

void ContainerLife::filled(const EngineAnswer& answer) {
  if (is_good(answer.status)) return enter(Phase::starting);
  if (answer.status == 404 || !is_refusal(answer.status)) return look_again(answer.message);
  not_started("cannot put its files into its container: " + answer.message, false);
}

void ContainerLife::started(const EngineAnswer& answer) {
  if (is_good(answer.status)) {
    begun_now_ = true;
    if (is_looked_at_) look_soon();
    return enter(Phase::running);
  }
  // The first start found no container: nothing was started.
  if (answer.status == 404 && starts_ == 1) start_asked_ = false;
  // Already started, vanished, or unknown.
  const bool says_nothing = answer.status == 0 || answer.status == 304 || answer.status == 404;
  if (says_nothing) return look_again(answer.message);
  not_started("cannot start: " + answer.message, says_port_is_taken(answer.message));
}

void ContainerLife::signalled(const EngineAnswer& answer) {
  if (is_good(answer.status) || signals_ >= most_tries) {
    wants_signal_ = false;
    return;
  }
  if (is_refusal(answer.status)) wants_signal_ = false;  // it does not run
  look_again(answer.message);
}

void ContainerLife::killed(const EngineAnswer& answer) {
  // A kill does not end a paused container; an engine may refuse to kill a running one.
  if (kills_ >= most_kills) {
    end_ = unseen_end("it did not end when it was killed");
    return enter(Phase::removing);
  }
  if (!is_good(answer.status)) {
    kill_refused_ = is_refusal(answer.status);
    return look_again(answer.message);
  }
  pause_ = look_after_kill;  // an event tells its end, or the next look
}

void ContainerLife::removed(const EngineAnswer& answer) {
  if (is_good(answer.status) || answer.status == 404) return enter(Phase::over);
  look_again(answer.message);
}

// --- what follows --------------------------------------------------------------------------------

void ContainerLife::enter(Phase phase) {
  phase_ = phase;
  tries_ = 0;
}

void ContainerLife::look_again(const std::string& why) {
  ++tries_;
  must_look_ = true;
  if (!why.empty()) refusal_ = why;
  const bool bounded = !start_asked_ && !adopted_ && phase_ < Phase::starting;
  if (bounded && tries_ > most_tries) {
    not_started("the engine does not do it: " + why, true);
    return enter(Phase::over);
  }
  if (tries_ == 1) return;
  const int doublings = std::min(tries_ - 2, 6);
  pause_ = std::min(longest_pause, shortest_pause * (1 << doublings));
}

// Podman tells a game's end before it shows it. A container that was started again by hand runs.
void ContainerLife::doubt_end() {
  if (std::exchange(kill_refused_, false)) pause_ = look_after_kill;
  if (!exit_code_) return;
  if (++doubts_ > most_doubts) return exit_code_.reset();
  pause_ = std::min(look_after_kill, shortest_pause * doubts_);
}

void ContainerLife::not_started(const std::string& why, bool blameless) {
  if (!end_) end_ = never_ran(why, blameless);
  enter(Phase::removing);
}

void ContainerLife::has_ended(const Container& container) {
  end_with_code(container.exit_code, container.out_of_memory);
  if (!container.error.empty()) end_->how += ": " + container.error;
  enter(Phase::reading);
}

void ContainerLife::end_with_code(int code, bool out_of_memory) {
  end_ = container_end(code);
  if (out_of_memory) end_->how += ": it had no more memory";
}

// Nullopt: it waits for an event.
std::optional<EngineAsk> ContainerLife::wanted() {
  if (must_look_) return EngineAsk::look;
  switch (phase_) {
    case Phase::creating:
    case Phase::filling:
    case Phase::starting:
      if (is_unwanted() && (phase_ != Phase::creating || may_be_there_)) {
        not_started("it was not wanted any more before it ran", true);
        return EngineAsk::remove;
      }
      if (phase_ == Phase::filling) return EngineAsk::fill;
      return phase_ == Phase::creating ? EngineAsk::create : EngineAsk::start;
    case Phase::running:
      if (wants_kill_) return EngineAsk::kill;
      if (wants_signal_) return EngineAsk::signal;
      return std::nullopt;
    case Phase::reading: return EngineAsk::read_log;
    case Phase::removing: return EngineAsk::remove;
    case Phase::over: return std::nullopt;
  }
  return std::nullopt;
}

// The container is removed after its end is told.
LifeStep ContainerLife::next() {
  LifeStep step = next_ask();
  if (phase_ == Phase::removing && !may_run_) step.ended = std::exchange(end_, std::nullopt);
  return step;
}

LifeStep ContainerLife::next_ask() {
  LifeStep step;
  step.begun = std::exchange(begun_now_, false);
  if (under_way_) return step;
  const bool nothing_there = phase_ == Phase::creating && !may_be_there_ && !must_look_;
  if (nothing_there && is_unwanted()) {
    not_started("it was not wanted any more before it ran", true);
    enter(Phase::over);
  }
  const bool too_often = (nothing_there && tries_ >= most_tries) ||
                         (phase_ == Phase::starting && !must_look_ && starts_ >= most_tries);
  if (too_often && !end_) {
    const std::string why = refusal_.empty() ? "" : ": " + refusal_;
    not_started("the engine does not start it" + why, true);
    if (nothing_there) enter(Phase::over);
  }
  if (phase_ == Phase::over) {
    must_look_ = false;
    step.ended = std::exchange(end_, std::nullopt);
    step.gone = true;
    return step;
  }
  if (pause_) {
    pausing_ = true;
    step.ring = std::exchange(pause_, std::nullopt);
    return step;
  }
  // A change of a running container ends a pause early.
  if (pausing_ && !(phase_ == Phase::running && must_look_)) return step;
  pausing_ = false;
  under_way_ = wanted();
  if (under_way_ == EngineAsk::start) {
    start_asked_ = may_run_ = true;
    ++starts_;
  }
  if (under_way_ == EngineAsk::signal) ++signals_;
  if (under_way_ == EngineAsk::kill) ++kills_;
  step.ask = under_way_;
  return step;
}

}  // namespace fixkeep::worker::docker
