#include "worker/probe/core/watch.hpp"

#include <algorithm>
#include <utility>

namespace fixkeep::probe {
namespace {

// While a game boots, an eighth of the time since its start passes between two questions. Readiness
// is thus detected at most an eighth late, and a long boot costs few questions.
constexpr int share_of_boot = 8;

bool is_line(const Probe& probe) {
  return std::holds_alternative<LineProbe>(probe.target);
}
bool is_alive(const Probe& probe) {
  return std::holds_alternative<AliveProbe>(probe.target);
}

}  // namespace

Watch::Watch(const ProbePlan& plan, Ports ports)
    : ports_(std::move(ports)), failures_(plan.failures), said_ready_(!plan.said_ready) {
  std::map<AskedPort, std::size_t> known;
  for (const Probe& probe : plan.readiness) add(probe, Role::readiness, known);
  for (const Probe& probe : plan.liveness) add(probe, Role::liveness, known);
  if (plan.players) {
    const auto same = std::find_if(courses_.begin(), courses_.end(), [&](const Course& course) {
      const std::string& name = course.probe.name;
      return course.role == Role::liveness && !name.empty() && name == plan.players->name;
    });
    if (same != courses_.end()) {
      same->counts = true;
    } else {
      add(*plan.players, Role::players, known);
    }
  }
  for (PortAsked& port : ports_asked_) {
    port.turn = port.turns == 0 ? Duration{0} : port.turn / port.turns;
  }
}

void Watch::add(const Probe& probe, Role role, std::map<AskedPort, std::size_t>& ports) {
  Course course{.probe = probe, .role = role};
  if (const auto port = asked_port(probe.target)) {
    course.port = ports.try_emplace(*port, ports_asked_.size()).first->second;
    if (*course.port == ports_asked_.size()) ports_asked_.push_back({.protocol = port->protocol});
    PortAsked& asked = ports_asked_[*course.port];
    asked.spacing = std::max(asked.spacing, probe.spacing);
    if (role != Role::readiness) {
      asked.turn = std::min(asked.turn, probe.interval);
      ++asked.turns;
    }
  }
  courses_.push_back(std::move(course));
}

void Watch::step(const Event& event, TimePoint now, Actions& out) {
  std::visit([&](const auto& happened) { handle(happened, now, out); }, event);
}

void Watch::handle(const GameStarted& /*event*/, TimePoint now, Actions& out) {
  if (state_ != State::waiting) return;
  state_ = State::booting;
  started_ = now;
  for (Course& course : courses_) {
    const auto* const alive = std::get_if<AliveProbe>(&course.probe.target);
    course.next = alive == nullptr ? now : now + alive->after;
  }
  become_ready_if_complete(now, out);
  handle(TimePassed{}, now, out);
}

void Watch::handle(const GameFoundReady& /*event*/, TimePoint now, Actions& /*out*/) {
  if (state_ != State::waiting) return;
  started_ = now;
  be_ready(now);
}

void Watch::handle(const SaidReady& /*event*/, TimePoint now, Actions& out) {
  said_ready_ = true;
  become_ready_if_complete(now, out);
}

void Watch::handle(const LineArrived& event, TimePoint now, Actions& out) {
  for (Course& course : courses_) {
    const auto* const line = std::get_if<LineProbe>(&course.probe.target);
    if (line == nullptr || course.phase == Phase::done || !active(course)) continue;
    if (!line->pattern.found_in(event.text)) continue;
    if (course.role == Role::readiness) {
      succeeded(course, now, out);
    } else {
      course.line_seen = true;
    }
  }
}

void Watch::handle(const Answered& event, TimePoint now, Actions& out) {
  Course* const course = open_try(event.which);
  if (course == nullptr) return;
  const Failure no_number{.kind = Failure::Kind::no_number};
  const bool counts = course->role == Role::players || course->counts;
  if (course->role == Role::players && !event.players) return failed(*course, no_number, out);
  if (counts && event.players) {
    course->uncounted = 0;
    out.emplace_back(Players{*event.players});
  } else if (counts) {
    uncounted(*course, no_number, out);
  }
  succeeded(*course, now, out);
}

void Watch::handle(const Failed& event, TimePoint /*now*/, Actions& out) {
  Course* const course = open_try(event.which);
  if (course != nullptr) failed(*course, event.why, out, event.excused);
}

void Watch::handle(const TimePassed& /*event*/, TimePoint now, Actions& out) {
  // The port serves the probe that has waited longest, so each probe gets its turn.
  std::vector<Course*> by_turn;
  for (Course& course : courses_) by_turn.push_back(&course);
  std::stable_sort(by_turn.begin(), by_turn.end(),
                   [](const Course* a, const Course* b) { return a->next < b->next; });
  for (Course* const course : by_turn) {
    if (!active(*course)) continue;
    switch (course->phase) {
      case Phase::waiting: begin_or_look(*course, now, out); break;
      case Phase::open: go_on(*course, now, out); break;
      case Phase::given_up:
      case Phase::done: break;
    }
  }
}

void Watch::begin_or_look(Course& course, TimePoint now, Actions& out) {
  if (now < may_ask(course)) return;
  if (is_alive(course.probe)) return succeeded(course, now, out);
  if (is_line(course.probe)) return look_for_line(course, now, out);
  course.phase = Phase::open;
  course.number = ++last_try_;
  course.ends = now + course.probe.limit;
  asked(course, now);
  out.emplace_back(BeginTry{id_of(course)});
}

void Watch::look_for_line(Course& course, TimePoint now, Actions& out) {
  if (course.role == Role::readiness) return;  // lines for readiness succeed when they arrive
  course.next = now + course.probe.interval;
  if (std::exchange(course.line_seen, false)) return succeeded(course, now, out);
  failed(course, {.kind = Failure::Kind::no_answer}, out);
}

void Watch::go_on(Course& course, TimePoint now, Actions& out) {
  if (now >= course.ends) {
    course.phase = Phase::given_up;
    out.emplace_back(GiveUp{id_of(course)});
  } else if (asks_again(course) && now >= may_ask(course)) {
    asked(course, now);
    out.emplace_back(AskAgain{id_of(course)});
  }
}

void Watch::asked(Course& course, TimePoint now) {
  const Probe& probe = course.probe;
  const Duration pace = state_ == State::booting ? std::clamp((now - started_) / share_of_boot,
                                                              probe.spacing, probe.interval)
                                                 : probe.interval;
  course.next = now + pace;
  if (course.port) {
    PortAsked& port = ports_asked_[*course.port];
    port.free = now + (ready() ? std::max(port.spacing, port.turn) : port.spacing);
  }
}

void Watch::succeeded(Course& course, TimePoint now, Actions& out) {
  course.failed = course.excused = 0;
  course.phase = course.role == Role::readiness ? Phase::done : Phase::waiting;
  become_ready_if_complete(now, out);
}

// Notes that a count of the players has failed. After `failures_` failures in a row, reports
// PlayersUnknown. Whether the game is healthy is decided elsewhere.
void Watch::uncounted(Course& course, const Failure& why, Actions& out) const {
  if (++course.uncounted != failures_) return;
  out.emplace_back(PlayersUnknown{sentence(course.probe, ports_, why, course.uncounted)});
}

// If a game had no processor time, its silence proves nothing. But a game on a machine that is
// always busy must answer too, so at most `failures_` tries are excused before the next success.
void Watch::failed(Course& course, Failure why, Actions& out, bool excused) {
  course.phase = Phase::waiting;
  course.last = std::move(why);
  const bool is_excused = excused && course.role == Role::liveness && course.excused++ < failures_;
  if (course.counts && (is_excused || course.failed + 1 != failures_)) {
    uncounted(course, course.last, out);
  }
  if (is_excused) return;
  ++course.failed;
  if (course.role == Role::readiness || course.failed != failures_) return;
  auto reason = sentence(course.probe, ports_, course.last, course.failed);
  if (course.role == Role::players) {
    out.emplace_back(PlayersUnknown{std::move(reason)});
  } else {
    state_ = State::unhealthy;
    out.emplace_back(Unhealthy{std::move(reason)});
  }
}

void Watch::become_ready_if_complete(TimePoint now, Actions& out) {
  if (state_ != State::booting || !said_ready_) return;
  for (const Course& course : courses_) {
    if (course.role == Role::readiness && course.phase != Phase::done) return;
  }
  be_ready(now);
  out.emplace_back(Ready{});
}

void Watch::be_ready(TimePoint now) {
  state_ = State::ready;
  for (Course& course : courses_) course.next = now + course.probe.interval;
}

TimePoint Watch::next_tick() const {
  auto next = TimePoint::max();
  for (const Course& course : courses_) {
    if (!active(course)) continue;
    if (course.phase == Phase::open) {
      next = std::min({next, course.ends, asks_again(course) ? may_ask(course) : course.ends});
    } else if (course.phase == Phase::waiting && !waits_for_line(course)) {
      next = std::min(next, may_ask(course));
    }
  }
  return next;
}

std::vector<Watch::Missing> Watch::missing() const {
  std::vector<Missing> result;
  if (ready()) return result;
  for (std::size_t i = 0; i < courses_.size(); ++i) {
    const Course& course = courses_[i];
    if (course.role != Role::readiness || course.phase == Phase::done) continue;
    result.push_back({i, course.last, course.failed});
  }
  return result;
}

bool Watch::active(const Course& course) const {
  return state_ == (course.role == Role::readiness ? State::booting : State::ready);
}

bool Watch::waits_for_line(const Course& course) const {
  return course.role == Role::readiness && is_line(course.probe);
}

bool Watch::asks_again(const Course& course) const {
  const bool packets = course.port && ports_asked_[*course.port].protocol == Protocol::udp;
  return packets && course.role == Role::readiness;
}

TimePoint Watch::may_ask(const Course& course) const {
  return course.port ? std::max(course.next, ports_asked_[*course.port].free) : course.next;
}

Try Watch::id_of(const Course& course) const {
  return {static_cast<std::size_t>(&course - courses_.data()), course.number};
}

Watch::Course* Watch::open_try(const Try& which) {
  if (which.probe >= courses_.size()) return nullptr;
  Course& course = courses_[which.probe];
  const bool open = course.phase == Phase::open || course.phase == Phase::given_up;
  return open && course.number == which.number && active(course) ? &course : nullptr;
}

}  // namespace fixkeep::probe
