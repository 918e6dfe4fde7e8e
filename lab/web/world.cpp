#include "lab/web/world.hpp"

#include <algorithm>
#include <utility>

namespace fixkeep::lab_web {
namespace {

constexpr Duration hold_least{60'000};
constexpr Duration hold_most{160'000};
constexpr Duration pause_least{50'000};
constexpr Duration pause_most{450'000};

}  // namespace

const GroupKey& World::group() {
  static const GroupKey key{"duel/eu"};
  return key;
}

World::World(const Plan& plan)
    : settings_(plan.settings), commands_(plan.commands), random_(settings_.seed) {
  const auto nodes = static_cast<std::size_t>(last()) + 1;
  ways_.resize(nodes * nodes);
  dials_.resize(nodes * nodes);
  for (int id = 1; id <= last(); ++id) nodes_.emplace_back(Random{random_.next()});
  for (int id = 1; id <= last(); ++id) start(id);
}

// --- steps ---------------------------------------------------------------------------------------

void World::take_earlier(Due& best, const Due& other) const {
  if (other.at == TimePoint::max()) return;
  const TimePoint at = std::max(other.at, now_);
  if (at < best.at || (at == best.at && other.kind < best.kind)) {
    best = other;
    best.at = at;
  }
}

void World::due_of_node(int id, Due& best) const {
  const Node& seen = node(id);
  if (seen.life != Life::running) return;
  take_earlier(best, {seen.table->next_tick(), Kind::tick, id});
  if (!seen.inbox.empty()) take_earlier(best, {now_, Kind::inbox, id});
  take_earlier(best, {seen.due, Kind::player, id});
}

void World::due_of_direction(int from, int to, Due& best) const {
  const Direction& seen = way(from, to);
  if (!seen.way.empty() && !seen.cut && !seen.held) {
    take_earlier(best, {seen.way.front().message.arrives, Kind::arrival, from, to});
  }
  if (from == the_worker || to == the_worker) return;
  if (seen.quiet != TimePoint::max() && way(to, from).up && node(to).life == Life::running) {
    const TimePoint listens = std::max(seen.quiet, node(to).changed);
    take_earlier(best, {listens + silence_limit, Kind::silence, to, from});
  }
  if (from < to && can_dial(from, to)) {
    take_earlier(best, {dials_[index(from, to)], Kind::dial, from, to});
  }
}

World::Due World::due() const {
  Due best;
  for (int id = 1; id <= last(); ++id) due_of_node(id, best);
  for (int from = 0; from <= last(); ++from) {
    for (int to = 0; to <= last(); ++to) {
      if (from != to) due_of_direction(from, to, best);
    }
  }
  return best;
}

bool World::commanded_before(TimePoint event) const {
  return commanded_ < commands_.size() && commands_[commanded_].step <= steps_ &&
         commands_[commanded_].at <= event;
}

TimePoint World::next() const {
  if (steps_ >= steps_most) return TimePoint::max();
  const TimePoint event = due().at;
  return commanded_before(event) ? std::max(now_, commands_[commanded_].at) : event;
}

void World::begin_step(TimePoint at) {
  now_ = std::max(now_, at);
  ++steps_;
}

bool World::step() {
  if (steps_ >= steps_most) return false;
  const Due what = due();
  while (commanded_before(what.at)) {
    if (execute(commands_[commanded_])) {
      ++commanded_;
      return true;
    }
    commands_.erase(commands_.begin() + static_cast<std::ptrdiff_t>(commanded_));
  }
  if (what.kind == Kind::none) return false;
  begin_step(what.at);
  switch (what.kind) {
    case Kind::none: break;
    case Kind::tick: {
      record("timer", what.a);
      lock::TableActions actions;
      node(what.a).table->tick(now_, actions);
      perform(what.a, actions);
      break;
    }
    case Kind::inbox: {
      Parcel parcel = std::move(node(what.a).inbox.front());
      node(what.a).inbox.pop_front();
      record("read", what.a, parcel.message);
      read(what.a, parcel);
      break;
    }
    case Kind::arrival: arrive(what.a, what.b); break;
    case Kind::player: player(what.a); break;
    case Kind::silence:
      record("silence", what.a, what.b);
      close(what.a, what.b);
      break;
    case Kind::dial: connect(what.a, what.b); break;
  }
  count_holders();
  return true;
}

void World::run(TimePoint until) {
  while (next() <= until && step()) {}
}

void World::step_to(std::uint64_t steps) {
  while (steps_ < steps && step()) {}
}

bool World::command(const Command& command) {
  if (steps_ >= steps_most || commanded_ >= commands_most || !execute(command)) return false;
  commands_.resize(commanded_++);
  commands_.push_back(command);
  return true;
}

bool World::execute(const Command& command) {
  const TimePoint before = now_;
  begin_step(std::min(command.at, due().at));
  bool done = false;
  switch (command.act) {
    case Act::stop: done = exists(command.a) && stop(command.a); break;
    case Act::resume: done = exists(command.a) && resume(command.a); break;
    case Act::kill: done = exists(command.a) && kill(command.a); break;
    case Act::start:
      done = exists(command.a) && node(command.a).life == Life::killed;
      if (done) start(command.a);
      break;
    case Act::ask:
      done = exists(command.a) && node(command.a).life == Life::running &&
             node(command.a).phase == Phase::idle;
      if (done) ask(command.a);
      break;
    case Act::leave:
      done = exists(command.a) && node(command.a).life == Life::running &&
             node(command.a).phase != Phase::idle;
      if (done) leave(command.a, true);
      break;
    case Act::cut:
    case Act::heal:
    case Act::slow:
    case Act::hold:
    case Act::deliver: done = change_link(command); break;
  }
  if (!done) {
    --steps_;
    now_ = before;
    return false;
  }
  count_holders();
  return true;
}

// --- the life of a master ------------------------------------------------------------------------

void World::start(int id) {
  record("started", id);
  Node& starts = node(id);
  starts.life = Life::running;
  starts.changed = now_;
  lock::LockTableOptions options;
  options.strategy = settings_.strategy;
  options.self = master_id(id);
  for (int other = 1; other <= last(); ++other) {
    if (other != id) options.peers.push_back(master_id(other));
  }
  options.join_grace = join_grace;
  options.lease = lease;
  options.rules = settings_.rules;
  starts.table.emplace(std::move(options), now_);
  starts.inbox.clear();
  rest(id);
  for (int other = 1; other <= last(); ++other) {
    if (other == id) continue;
    dial_at(std::min(id, other), std::max(id, other)) = now_ + flight();
    way(id, other).quiet = way(id, other).cut ? now_ : TimePoint::max();
  }
}

bool World::kill(int id) {
  Node& dies = node(id);
  if (dies.life == Life::killed) return false;
  record("killed", id);
  for (int other = 1; other <= last(); ++other) {
    if (other != id && way(id, other).up) send(id, other, Close{});
    if (other != id) way(id, other).up = false;
  }
  dies.life = Life::killed;
  dies.changed = now_;
  dies.phase = Phase::idle;
  dies.due = TimePoint::max();
  dies.inbox.clear();
  dies.table.reset();
  return true;
}

bool World::stop(int id) {
  Node& stops = node(id);
  if (stops.life != Life::running) return false;
  record("stopped", id);
  stops.life = Life::stopped;
  stops.changed = now_;
  for (int other = 1; other <= last(); ++other) {
    if (other != id) way(id, other).quiet = std::min(way(id, other).quiet, now_);
  }
  return true;
}

bool World::resume(int id) {
  Node& goes_on = node(id);
  if (goes_on.life != Life::stopped) return false;
  record("continued", id);
  goes_on.life = Life::running;
  goes_on.changed = now_;
  for (int other = 1; other <= last(); ++other) {
    if (other != id) hear_again(id, other);
  }
  return true;
}

// --- its player ----------------------------------------------------------------------------------

void World::player(int id) {
  if (node(id).phase == Phase::idle) {
    ask(id);
  } else {
    leave(id, true);
  }
}

void World::rest(int id) {
  Node& rests = node(id);
  rests.phase = Phase::idle;
  rests.since = now_;
  rests.due = TimePoint::max();
  if (!settings_.players) return;
  rests.due = now_ + Duration{rests.random.between(pause_least.count(), pause_most.count())};
}

void World::ask(int id) {
  record("asks", id);
  Node& asks = node(id);
  asks.phase = Phase::waiting;
  asks.since = now_;
  asks.due = TimePoint::max();
  lock::TableActions actions;
  asks.table->acquire(group(), now_, actions);
  perform(id, actions);
}

// Ends the wait or the hold. If `may_write` is true, a holder first sends its write to the worker,
// unless its fence is still under way.
void World::leave(int id, bool may_write) {
  Node& leaves = node(id);
  const Phase phase = leaves.phase;
  rest(id);
  lock::TableActions actions;
  if (phase == Phase::waiting) {
    record("gave-up", id);
    leaves.table->abandon(group(), now_, actions);
    perform(id, actions);
    return;
  }
  const FencingToken token = leaves.grant.token;
  const bool writes = may_write && phase == Phase::working;
  if (writes) send(id, the_worker, Write{token});
  record("released", id, -1, token);
  lock::LockValue value;
  value.stamp = token;
  value.fence = leaves.fenced ? token : leaves.grant.value.fence;
  value.uncertain = !writes;
  leaves.table->release(group(), token, value, now_, actions);
  perform(id, actions);
}

void World::granted(int id, lock::KeyGranted&& grant) {
  Node& holds = node(id);
  record("granted", id, -1, grant.token);
  ++grants_;
  holds.grant = std::move(grant);
  holds.fenced = false;
  holds.since = now_;
  if (holds.grant.needs_fence && settings_.fence) {
    holds.phase = Phase::fencing;
    send(id, the_worker, Prepare{holds.grant.token});
  } else {
    begin_work(id);
  }
}

void World::begin_work(int id) {
  Node& works = node(id);
  works.phase = Phase::working;
  if (!settings_.players) return;
  works.due = now_ + Duration{works.random.between(hold_least.count(), hold_most.count())};
}

void World::perform(int id, lock::TableActions& actions) {
  for (auto& action : actions) {
    if (auto* sent = std::get_if<lock::SendToPeer>(&action)) {
      const int peer = sent->to.number();
      if (way(id, peer).up) send(id, peer, std::move(sent->message));
    } else if (auto* grant = std::get_if<lock::KeyGranted>(&action)) {
      granted(id, std::move(*grant));
    } else if (const auto* lost = std::get_if<lock::KeyLost>(&action)) {
      record(lost->reason == lock::LostReason::wait_timeout ? "waited-too-long" : "lease-over", id,
             -1, node(id).grant.token);
      rest(id);
    }
  }
}

// --- figures for the page ------------------------------------------------------------------------

std::vector<int> World::holders() const {
  std::vector<int> all;
  for (int id = 1; id <= last(); ++id) {
    if (node(id).phase == Phase::fencing || node(id).phase == Phase::working) all.push_back(id);
  }
  return all;
}

void World::count_holders() {
  const std::size_t count = holders().size();
  if (count > 1 && holders_ <= 1) {
    two_since_ = now_;
    record("two-holders", 0);
  }
  if (count <= 1 && holders_ > 1) two_for_ += now_ - two_since_;
  holders_ = count;
  most_holders_ = std::max(most_holders_, count);
}

}  // namespace fixkeep::lab_web
