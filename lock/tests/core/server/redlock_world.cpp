#include "lock/tests/core/server/redlock_world.hpp"

#include <algorithm>
#include <utility>

namespace fixkeep::lock {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr milliseconds world_ttl{100};
constexpr milliseconds faulty_time{1500};
constexpr milliseconds calm_time{1500};
constexpr std::int64_t fastest_ppm = 4000;  // two clocks differ by less than 1 %

}  // namespace

TimePoint RedlockWorld::Clock::at(Time time) const {
  return TimePoint{offset + time + Duration{time.count() * rate_ppm / 1'000'000}};
}

RedlockWorld::Time RedlockWorld::Clock::when(TimePoint local) const {
  const auto shown = (local.time_since_epoch() - offset).count();
  Time time{shown * 1'000'000 / (1'000'000 + rate_ppm)};
  while (at(time) < local) time += Duration{1};
  return time;
}

RedlockWorld::RedlockWorld(RedlockChecks checks, std::size_t servers, std::uint64_t seed)
    : random_(seed), servers_(servers), calm_from_(faulty_time) {
  options_ = {MasterId{1}, servers, world_ttl, milliseconds{4}, milliseconds{60}, checks};
  // Without it a slow attempt would end before it can do harm.
  if (!checks.validity) options_.reply = world_ttl * 4;
  slowness_ = random_.unit() * 0.1;
  const auto any_clock = [this] {
    return Clock{Duration{random_.between(1'000'000, 1'000'000'000)},
                 random_.between(-fastest_ppm, fastest_ppm)};
  };
  for (auto& server : servers_) server.clock = any_clock();
  const auto count = 2 + random_.below(3);
  for (std::size_t i = 0; i < count; ++i) {
    auto options = options_;
    options.self = MasterId{static_cast<std::uint16_t>(i + 1)};
    Master master{RedlockMachine{options, {}}};
    master.links.resize(servers);
    master.machine = RedlockMachine{options, up(master)};
    master.clock = any_clock();
    masters_.push_back(std::move(master));
    for_master(i, Time{random_.between(0, 20'000)}, [this, i] { want(i); });
  }
  at(Time{random_.between(0, 50'000)}, [this] { fault(); });
}

void RedlockWorld::run() {
  while (violation_.empty() && !events_.empty() && now_ < faulty_time + calm_time) {
    auto next = events_.extract(events_.begin());
    now_ = next.key();
    next.mapped()();
  }
  if (violation_.empty() && calm_grants_ == 0) violate("nobody is granted the lock in the calm");
}

void RedlockWorld::violate(const std::string& what) {
  if (violation_.empty()) violation_ = what;
}

void RedlockWorld::at(Time time, std::function<void()> event) {
  events_.emplace(std::max(time, now_), std::move(event));
}

// It happens when the master goes on if it is stopped then, and not at all if it has crashed.
void RedlockWorld::for_master(std::size_t master, Time time, std::function<void()> event) {
  at(time,
     [this, master, life = masters_.empty() ? 0 : masters_[master].life, event = std::move(event)] {
       if (masters_[master].life != life) return;
       if (masters_[master].stopped_until > now_) {
         for_master(master, masters_[master].stopped_until, event);
       } else {
         event();
       }
     });
}

ServerSet RedlockWorld::up(const Master& master) const {
  ServerSet set;
  for (std::size_t i = 0; i < master.links.size(); ++i) {
    if (master.links[i].up) set.insert(i);
  }
  return set;
}

RedlockWorld::Time RedlockWorld::delay() {
  if (!calm() && random_.chance(slowness_))
    return Time{random_.between(0, 3 * world_ttl.count() * 1000)};
  return Time{random_.between(50, 1500)};
}

// --- masters and messages

void RedlockWorld::step(std::size_t self, const RedlockEvent& event) {
  RedlockActions out;
  auto& master = masters_[self];
  master.machine.step(event, master.clock.at(now_), random_, out);
  for (const auto& action : out) {
    if (const auto* sent = std::get_if<SendCommand>(&action)) {
      send(self, *sent);
    } else if (const auto* timer = std::get_if<SetTimer>(&action)) {
      const auto alarm = ++master.alarms;
      if (timer->at == TimePoint::max()) continue;
      for_master(self, master.clock.when(timer->at), [this, self, alarm] {
        if (masters_[self].alarms == alarm) step(self, Tick{});
      });
    } else {
      const auto& reply = std::get<EngineReply>(action);
      if (reply.round != master.round || !master.asking) {
        violate("something is said of a round that is over");
      } else if (const auto* grant = std::get_if<Granted>(&reply.said)) {
        granted(self, *grant);
      } else {
        if (!master.held) violate("Lost is said of what was not granted");
        ++losses_;
        master.asking = false;
        master.held.reset();
        if (last_holder_ == self && last_end_ == End::holds) last_end_ = End::vanished;
        for_master(self, now_ + delay(), [this, self] { want(self); });
      }
    }
  }
}

void RedlockWorld::send(std::size_t self, const SendCommand& sent) {
  auto& link = masters_[self].links[sent.server];
  if (!link.up) return violate("a command is sent to a server that is down");
  if (link.broken) return;
  link.last_to_server = std::max(link.last_to_server, now_ + delay());
  at(link.last_to_server,
     [this, self, sent, generation = link.generation, life = servers_[sent.server].life] {
       deliver(self, sent.server, generation, life, sent.command);
     });
}

// A message sent before its connection broke may still arrive. The answer does not.
void RedlockWorld::deliver(std::size_t self, std::size_t to, int generation, int life,
                           const RedlockCommand& command) {
  auto& server = servers_[to];
  if (!server.running || server.life != life) return;
  auto& link = masters_[self].links[to];
  if (link.generation != generation && random_.chance(0.5)) return;
  const auto reply = server.model.carry_out(command, world_ttl, server.clock.at(now_));
  if (link.generation != generation) return;
  link.last_to_master = std::max(link.last_to_master, now_ + delay());
  for_master(self, link.last_to_master,
             [this, self, to, generation, reply, serial = command.serial] {
               if (masters_[self].links[to].generation != generation) return;
               step(self, ServerReplied{to, serial, reply});
             });
}

void RedlockWorld::granted(std::size_t self, const Granted& grant) {
  auto& master = masters_[self];
  check(self, grant);
  ++grants_;
  if (calm()) ++calm_grants_;
  if (grant.needs_fence) ++fences_;
  master.held = grant;
  master.highest = std::max(master.highest, grant.token);
  if (random_.chance(0.1)) {  // it gives up the lock without using it
    for_master(self, now_, [this, self] { give_up(self); });
    return;
  }
  // A holder that is told to fence does so and learns of the highest used token. Or it releases the
  // value as uncertain.
  const bool fenced = grant.needs_fence && random_.chance(0.9);
  if (fenced && grant.token < used_) master.held->token.counter = used_.counter + 1;
  master.certain = (fenced || !grant.needs_fence) && random_.chance(0.95);
  master.highest = std::max(master.highest, master.held->token);
  any_used_ = true;
  last_holder_ = self;
  last_end_ = End::holds;
  used_ = std::max(used_, master.held->token);
  const bool slow = !calm() && random_.chance(0.1);
  for_master(self, now_ + Time{slow ? random_.between(0, 300'000) : random_.between(100, 5000)},
             [this, self, round = master.round] {
               if (masters_[self].round == round) finish(self);
             });
}

void RedlockWorld::check(std::size_t self, const Granted& grant) {
  for (std::size_t other = 0; other < masters_.size(); ++other) {
    // A stopped master cannot act on it and will learn of it first.
    if (other != self && masters_[other].held && masters_[other].stopped_until <= now_) {
      violate("two holders");
    }
  }
  if (!any_used_) return;
  if (!memory_lost_ && grant.token <= used_) violate("the token does not grow");
  if (grant.needs_fence) return;
  if (grant.token <= used_) violate("a token that does not grow, without a fence");
  if (last_end_ != End::released || last_value_.uncertain) {
    violate("orders may be on their way, and no fence is asked for");
  } else if (grant.value != last_value_) {
    violate("a value is lost, and no fence is asked for");
  }
}

// --- what the callers do

void RedlockWorld::want(std::size_t self) {
  auto& master = masters_[self];
  master.asking = true;
  step(self, AskEngine{AskEngine::Call::acquire, ++master.round, master.highest, {}});
  if (!random_.chance(0.2)) return;
  for_master(self, now_ + Time{random_.between(0, 20'000)}, [this, self, round = master.round] {
    const auto& waiting = masters_[self];
    if (waiting.round == round && waiting.asking && !waiting.held) give_up(self);
  });
}

void RedlockWorld::give_up(std::size_t self) {
  auto& master = masters_[self];
  if (!master.asking) return;
  master.asking = false;
  master.held.reset();
  step(self, AskEngine{AskEngine::Call::abandon, master.round, {}, {}});
  for_master(self, now_ + delay(), [this, self] { want(self); });
}

void RedlockWorld::finish(std::size_t self) {
  auto& master = masters_[self];
  if (!master.held) return;
  const auto token = master.held->token;
  LockValue value{token, {}, !master.certain, std::to_string(++written_)};
  if (last_holder_ == self) {
    last_end_ = End::released;
    last_value_ = value;
  }
  master.asking = false;
  master.held.reset();
  step(self, AskEngine{AskEngine::Call::release, master.round, token, std::move(value)});
  for_master(self, now_ + delay(), [this, self] { want(self); });
}

// --- what goes wrong

void RedlockWorld::fault() {
  if (calm()) return;
  const auto master = random_.below(masters_.size());
  const auto server = random_.below(servers_.size());
  switch (random_.below(8)) {
    case 0:
    case 1: crash_server(server); break;
    case 2:
    case 3: stop_master(master); break;
    case 4: crash_master(master); break;
    default: break_link(master, server); break;
  }
  at(now_ + Time{random_.between(0, 60'000)}, [this] { fault(); });
}

void RedlockWorld::break_link(std::size_t self, std::size_t server) {
  auto& link = masters_[self].links[server];
  if (!link.up || link.broken) return;
  ++link.generation;
  const auto noticed = now_ + Time{random_.between(0, 2000)};
  // Until `noticed` the master sends, but nothing arrives.
  link.up = link.broken = true;
  for_master(self, noticed, [this, self, server, generation = link.generation] {
    auto& broken = masters_[self].links[server];
    if (broken.generation != generation) return;
    broken.up = broken.broken = false;
    step(self, ServerDown{server});
    connect(self, server, now_ + Time{random_.between(100, 40'000)});
  });
}

void RedlockWorld::connect(std::size_t self, std::size_t server, Time time) {
  for_master(self, std::max(time, servers_[server].counts_from), [this, self, server] {
    auto& link = masters_[self].links[server];
    if (link.up) return;
    if (!servers_[server].running || now_ < servers_[server].counts_from) {
      return connect(self, server, now_ + Time{random_.between(100, 10'000)});
    }
    link.up = true;
    ++link.generation;
    link.last_to_server = link.last_to_master = now_;
    step(self, ServerUp{server});
  });
}

void RedlockWorld::crash_server(std::size_t which) {
  auto& server = servers_[which];
  if (!server.running) return;
  ++restarts_;
  ++server.life;
  server.running = false;
  if (random_.chance(0.5)) {
    server.model = {};
    server.model.first_counter = random_.chance(0.5) ? 0 : random_.below(1000);
    memory_lost_ = true;
  }
  for (std::size_t i = 0; i < masters_.size(); ++i) break_link(i, which);
  at(now_ + Time{random_.between(0, 80'000)}, [this, which] {
    servers_[which].running = true;
    // A little more than the ttl: the waiting master's clock may be fast.
    servers_[which].counts_from = now_ + world_ttl + world_ttl / 100;
  });
}

void RedlockWorld::stop_master(std::size_t self) {
  const auto until = now_ + Time{random_.between(0, 3 * Duration{world_ttl}.count())};
  masters_[self].stopped_until = std::max(masters_[self].stopped_until, until);
  // It may first release its supposed lock, look at its clock or read its new messages.
  enum class First : std::uint8_t { release, clock, news };
  const auto first = static_cast<First>(random_.below(3));
  at(until, [this, self, first] {
    if (first == First::news || masters_[self].stopped_until > now_) return;
    if (first == First::release && masters_[self].held) finish(self);
    step(self, Tick{});
  });
}

void RedlockWorld::crash_master(std::size_t self) {
  auto& master = masters_[self];
  ++master.life;
  ++master.alarms;
  if (last_holder_ == self && last_end_ == End::holds) last_end_ = End::vanished;
  master.asking = false;
  master.held.reset();
  master.highest = {};
  auto options = options_;
  options.self = MasterId{static_cast<std::uint16_t>(self + 1)};
  for (auto& link : master.links) {
    link.up = link.broken = false;
    ++link.generation;
  }
  master.machine = RedlockMachine{options, {}};
  const auto back = now_ + Time{random_.between(0, 100'000)};
  for (std::size_t i = 0; i < servers_.size(); ++i) connect(self, i, back);
  for_master(self, back, [this, self] { want(self); });
}

}  // namespace fixkeep::lock
