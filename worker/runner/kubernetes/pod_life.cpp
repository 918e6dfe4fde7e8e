#include "worker/runner/kubernetes/pod_life.hpp"

#include <algorithm>
#include <utility>

#include "common/base/assert.hpp"
#include "worker/runner/container_end.hpp"

namespace fixkeep::worker::kubernetes {

using fixkeep::kubernetes::ApiProblem;
using fixkeep::kubernetes::Verdict;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr std::size_t most_last_lines = 512;

GameEnd end_of(const Pod& pod) {
  if (!pod.knows_code) {
    // Some kubelets discard a container before they have told its end.
    const char* const removed = "its pod was removed, and nobody saw how it ended";
    return unseen_end(pod.why_ended.empty() ? removed : pod.why_ended);
  }
  GameEnd end = container_end(pod.exit_code);
  if (!pod.why_ended.empty()) end.how += ": " + pod.why_ended;
  return end;
}

// The cluster or our rights in it are the reason: no other pod would fare better.
bool is_of_the_cluster(ApiProblem problem) {
  return problem == ApiProblem::exceeded_quota || problem == ApiProblem::forbidden ||
         problem == ApiProblem::unauthorized || problem == ApiProblem::not_found;
}

}  // namespace

PodLife::PodLife(std::string owner, seconds grace, milliseconds patience)
    : owner_(std::move(owner)), grace_(std::max(grace, kill_grace)), patience_(patience) {}

// --- what comes in -------------------------------------------------------------------------------

PodStep PodLife::start() {
  is_mine_ = true;
  return next();
}

PodStep PodLife::adopt() {
  is_mine_ = true;
  adopted_ = true;
  may_be_there_ = true;
  must_look_ = true;
  return next();
}

PodStep PodLife::ask_to_end() {
  wants_end_ = true;
  return next();
}

PodStep PodLife::kill() {
  wants_kill_ = true;
  return next();
}

// While it is created, the answer under way may be older than this news.
bool PodLife::must_wait_for_answer() {
  if (phase_ != Phase::creating) return false;
  if (under_way_) is_newer_ = true;
  return true;
}

PodStep PodLife::shown(const Pod& pod) {
  if (must_wait_for_answer() || !is_mine_ || pod.uid != pod_.uid) return {};
  found(pod);
  return next();
}

PodStep PodLife::removed(const Pod& pod) {
  if (must_wait_for_answer() || !is_mine_ || pod.uid != pod_.uid) return {};
  if (pod.ended && phase_ == Phase::running) {
    end_ = end_of(pod);
    if (!asked_to_end_) end_->how += "; somebody has removed its pod";
  }
  found_none();
  return next();
}

// The list may be older than the pod.
PodStep PodLife::missing() {
  if (must_wait_for_answer() || !is_mine_ || phase_ == Phase::over) return {};
  must_look_ = true;
  return next();
}

PodStep PodLife::rang() {
  if (std::exchange(pausing_, false) && std::exchange(watches_kill_, false)) {
    must_look_ = true;
    ++kill_looks_;
  }
  return next();
}

// The last known state may be old.
PodStep PodLife::is_late() {
  if (phase_ != Phase::waiting) return {};
  is_late_ = true;
  must_look_ = true;
  return next();
}

PodStep PodLife::answered(PodAsk asked, const PodAnswer& answer) {
  FIXKEEP_ASSERT(under_way_ == asked, std::to_string(static_cast<int>(asked)));
  under_way_.reset();
  if (phase_ == Phase::over) return next();
  switch (asked) {
    case PodAsk::look: looked(answer); break;
    case PodAsk::create: created(answer); break;
    case PodAsk::read_log:
      // A missing log costs only output.
      end_->last_lines =
          answer.log.substr(answer.log.size() - std::min(answer.log.size(), most_last_lines));
      enter(Phase::removing);
      break;
    case PodAsk::remove: removed(answer); break;
  }
  return next();
}

// --- answers -------------------------------------------------------------------------------------

void PodLife::looked(const PodAnswer& answer) {
  must_look_ = false;
  if (answer.verdict.problem == ApiProblem::not_found) return found_none();
  if (answer.found) return found(*answer.found);
  // A pod that still appears later has no owner and is removed then.
  if (phase_ == Phase::creating && !adopted_ && tries_ >= most_tries) {
    end_ = never_ran("the API server does not answer: " + answer.verdict.words, true);
    no_room_now_ = true;
    return enter(Phase::over);
  }
  look_again(answer.verdict.words, answer.verdict.pause);
}

void PodLife::created(const PodAnswer& answer) {
  const Verdict& verdict = answer.verdict;
  if (answer.found) return found(*answer.found);
  const bool not_done = verdict.problem == ApiProblem::too_many;
  if (not_done && !may_be_there_) {
    ++tries_;
    pause_ = std::max(verdict.pause, shortest_pause);
    return;
  }
  const bool nobody_knows = verdict.problem == ApiProblem::none ||
                            verdict.problem == ApiProblem::lost ||
                            verdict.problem == ApiProblem::already_exists ||
                            verdict.problem == ApiProblem::conflict || not_done;
  may_be_there_ = true;
  if (nobody_knows) return look_again(verdict.words, verdict.pause);
  no_room_now_ = is_of_the_cluster(verdict.problem);
  not_started("cannot create its pod: " + verdict.words, no_room_now_);
  enter(Phase::over);  // the server says that there is no pod
}

void PodLife::removed(const PodAnswer& answer) {
  const ApiProblem problem = answer.verdict.problem;
  if (problem == ApiProblem::not_found || problem == ApiProblem::conflict) return found_none();
  if (problem != ApiProblem::none) return look_again(answer.verdict.words, answer.verdict.pause);
  asked_to_end_ = true;
  asked_grace_ = grace_now();
  was_forced_ = by_force();
  tries_ = 0;
  if (phase_ == Phase::removing || wants_kill_) {
    pause_ = look_after_kill;
    watches_kill_ = true;
  }
}

bool PodLife::is_ours(const Pod& pod) const {
  return pod.owner == owner_ && (pod_.uid.empty() || pod.uid == pod_.uid);
}

void PodLife::found(const Pod& pod) {
  if (!is_ours(pod)) {
    if (phase_ != Phase::creating || adopted_) return found_none();
    not_started("there is a pod " + pod.name + " that is not ours", true);
    return enter(Phase::over);
  }
  pod_ = pod;
  may_be_there_ = true;
  // A removal that is refused while looks are answered has its pauses.
  if (!wants_end_ && !wants_kill_ && phase_ != Phase::removing) tries_ = 0;
  if (phase_ == Phase::creating) enter(Phase::waiting);
  if (!pod.host.empty() && !std::exchange(was_placed_, true)) placed_now_ = true;
  if (phase_ == Phase::running && pod.ended) return has_ended(pod);
  if (phase_ != Phase::waiting) return;
  if (pod.cannot_start) {
    never_runs_ = true;
    return not_started("cannot start: " + pod.why_waiting, false);
  }
  if (pod.ended && !pod.knows_code) {
    return not_started(pod.why_ended.empty() ? "its node does not take it" : pod.why_ended, true);
  }
  if (pod.ended) return has_ended(pod);
  if (!pod.runs || !was_placed_) return waits(pod);
  begun_now_ = !adopted_ || was_waiting_;
  enter(Phase::running);
}

void PodLife::waits(const Pod& pod) {
  was_waiting_ = true;
  if (std::exchange(is_newer_, false)) must_look_ = true;
  // The watch may tell of a time before the lack of room was known.
  const bool came_late = awaits_ == Awaits::node && !pod.node.empty();
  const Awaits start = came_late ? Awaits::start_there : Awaits::start;
  const Awaits now = pod.unschedulable ? Awaits::node : start;
  if (now > awaits_) {
    awaits_ = now;
    patience_now_ = true;
    is_late_ = false;
  }
  if (!is_late_) return;
  no_room_now_ = waits_for_a_node();
  const std::string why =
      no_room_now_ ? "no node has room for a pod" : "it has not started in time";
  not_started(why + waited_for(), no_room_now_);
}

void PodLife::found_none() {
  if (phase_ == Phase::creating && !adopted_) {
    may_be_there_ = false;
    return;
  }
  if (!end_ && !told_) {
    switch (phase_) {
      case Phase::creating: end_ = unseen_end("it has no pod any more"); break;
      case Phase::waiting:
        end_ = never_ran("somebody has removed its pod before it ran", true);
        break;
      case Phase::running:
      case Phase::reading:
      case Phase::removing:
      case Phase::over:
        end_ = unseen_end(asked_to_end_ ? "its pod was removed, and nobody saw how it ended"
                                        : "somebody has removed its pod");
        break;
    }
  }
  enter(Phase::over);
}

// --- what follows --------------------------------------------------------------------------------

void PodLife::enter(Phase phase) {
  phase_ = phase;
  tries_ = 0;
  pausing_ = false;
  watches_kill_ = false;
  pause_.reset();
  if (phase == Phase::over) must_look_ = false;
}

void PodLife::look_again(const std::string& why, milliseconds at_least) {
  ++tries_;
  must_look_ = true;
  if (phase_ == Phase::creating && !adopted_ && tries_ > most_tries) {
    not_started("the API server does not do it: " + why, true);
    return enter(Phase::over);
  }
  if (tries_ == 1 && at_least == milliseconds{0}) return;
  const int doublings = std::clamp(tries_ - 2, 0, 6);
  pause_ = std::max(at_least, std::min(longest_pause, shortest_pause * (1 << doublings)));
}

void PodLife::not_started(const std::string& why, bool blameless) {
  if (!end_) end_ = never_ran(why, blameless);
  enter(Phase::removing);
}

void PodLife::has_ended(const Pod& pod) {
  end_ = end_of(pod);
  enter(Phase::reading);
}

std::string PodLife::waited_for() const {
  return pod_.why_waiting.empty() ? "" : ": " + pod_.why_waiting;
}

void PodLife::unwanted() {
  not_started("it was not wanted any more before it ran" + waited_for(), true);
}

seconds PodLife::grace_now() const {
  return phase_ == Phase::running && !wants_kill_ ? grace_ : kill_grace;
}

// True if no end of a process needs a node to confirm it or the node does not confirm it. The
// confirmation takes up to a minute.
bool PodLife::by_force() const {
  return never_runs_ || pod_.over || kill_looks_ > most_looks_after_kill;
}

// Nullopt: it waits for an event.
std::optional<PodAsk> PodLife::wanted() {
  if (must_look_) return PodAsk::look;
  const bool asked_enough = asked_to_end_ && asked_grace_ <= grace_now();
  switch (phase_) {
    case Phase::creating: return PodAsk::create;
    case Phase::waiting: return std::nullopt;
    case Phase::running:
      if (!(wants_end_ || wants_kill_)) return std::nullopt;
      if (!asked_enough || kill_looks_ > most_looks_after_kill) return PodAsk::remove;
      return std::nullopt;
    case Phase::reading: return PodAsk::read_log;
    case Phase::removing:
      if (!asked_enough || kill_looks_ > most_looks_after_kill) return PodAsk::remove;
      if (by_force() && !was_forced_) return PodAsk::remove;
      return std::nullopt;
    case Phase::over: return std::nullopt;
  }
  return std::nullopt;
}

// The pod is removed after its end is told.
PodStep PodLife::next() {
  PodStep step = next_ask();
  const bool nothing_runs = phase_ == Phase::over || (phase_ == Phase::removing && pod_.ended);
  if (nothing_runs) step.ended = std::exchange(end_, std::nullopt);
  told_ = told_ || step.ended;
  step.gone = phase_ == Phase::over;
  return step;
}

PodStep PodLife::next_ask() {
  PodStep step;
  step.placed = std::exchange(placed_now_, false);
  step.begun = std::exchange(begun_now_, false);
  if (std::exchange(no_room_now_, false)) step.no_room = end_->how;
  if (std::exchange(patience_now_, false)) {
    step.patience =
        awaits_ == Awaits::node ? patience_ : std::max<milliseconds>(patience_, start_patience);
  }
  if (under_way_) return step;
  const bool is_unwanted = wants_end_ || wants_kill_;
  const bool nothing_there = phase_ == Phase::creating && !may_be_there_ && !must_look_;
  if (is_unwanted && !must_look_ && (nothing_there || phase_ == Phase::waiting)) {
    unwanted();
    if (nothing_there) enter(Phase::over);
  }
  if (nothing_there && tries_ >= most_tries) {
    not_started("the API server does not make its pod", true);
    enter(Phase::over);
  }
  if (phase_ == Phase::over) return step;
  if (pause_) {
    pausing_ = true;
    step.ring = std::exchange(pause_, std::nullopt);
    return step;
  }
  // A call does not wait for the next look at a killed pod.
  if (pausing_ && !watches_kill_) return step;
  if (!must_look_ && asked_to_end_ && !pausing_ &&
      (phase_ == Phase::removing || (phase_ == Phase::running && wants_kill_)) && !wanted()) {
    pausing_ = watches_kill_ = true;
    step.ring = look_after_kill;
    return step;
  }
  under_way_ = wanted();
  step.ask = under_way_;
  if (under_way_ == PodAsk::remove) {
    step.grace = grace_now();
    step.by_force = by_force();
    if (step.by_force && !end_ && !told_) {
      end_ = unseen_end("it was killed, and its node does not say that it ended");
    }
  }
  return step;
}

}  // namespace fixkeep::worker::kubernetes
