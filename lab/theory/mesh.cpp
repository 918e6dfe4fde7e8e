#include "lab/theory/mesh.hpp"

#include <algorithm>
#include <cmath>

#include "common/base/assert.hpp"

namespace fixkeep::lab_theory {
namespace {

const GroupKey key{"key"};
constexpr Duration rest = 40 * flight;  // after this time, all messages of a hold have arrived

MasterId id_of(std::size_t master) {
  return MasterId{static_cast<std::uint16_t>(master + 1)};
}

double flights(Duration time) {
  return static_cast<double>(time.count()) / static_cast<double>(flight.count());
}

lock::LockTableOptions options_of(const std::string& strategy, std::size_t self,
                                  std::size_t masters) {
  lock::LockTableOptions options;
  options.strategy = strategy;
  options.self = id_of(self);
  for (std::size_t other = 0; other < masters; ++other) {
    if (other != self) options.peers.push_back(id_of(other));
  }
  options.wait = options.lease = options.idle = std::chrono::hours{100};
  return options;
}

}  // namespace

Mesh::Mesh(const std::string& strategy, std::size_t masters, std::uint64_t seed)
    : random_(seed), now_(std::chrono::hours{1}) {
  counts_.shares.resize(masters);
  for (std::size_t self = 0; self < masters; ++self) {
    masters_.push_back(
        {lock::LockTable{options_of(strategy, self, masters), now_}, {}, false, false, {}, 0});
  }
  for (std::size_t self = 0; self < masters; ++self) {
    for (std::size_t other = 0; other < masters; ++other) {
      if (other == self) continue;
      lock::TableActions actions;
      masters_[self].table.connected(id_of(other), {}, now_, actions);
      perform(self, actions);
    }
  }
  let_arrive();
}

// --- events --------------------------------------------------------------------------------------

void Mesh::later(Duration time, What what) {
  events_.push({now_ + time, ++numbers_, std::move(what)});
}

void Mesh::step() {
  ++steps_;
  TimePoint at = events_.empty() ? TimePoint::max() : events_.top().at;
  auto late = masters_.end();
  for (auto master = masters_.begin(); master != masters_.end(); ++master) {
    if (master->table.next_tick() >= at) continue;
    at = master->table.next_tick();
    late = master;
  }
  FIXKEEP_ASSERT(at != TimePoint::max(), "nothing will ever happen");
  now_ = std::max(now_, at);
  lock::TableActions actions;
  if (late != masters_.end()) {
    late->table.tick(now_, actions);
    return perform(static_cast<std::size_t>(late - masters_.begin()), actions);
  }
  const Event event = events_.top();
  events_.pop();
  if (const auto* delivery = std::get_if<Delivery>(&event.what)) {
    const bool taken = masters_[delivery->to].table.receive(id_of(delivery->from),
                                                            delivery->message, now_, actions);
    FIXKEEP_ASSERT(taken, "a message of a right master");
    perform(delivery->to, actions);
  } else if (const auto* request = std::get_if<Request>(&event.what)) {
    masters_[request->master].requests.push_back(now_);
    ask(request->master);
  } else {
    leave(std::get<Leave>(event.what).master);
  }
}

void Mesh::perform(std::size_t master, const lock::TableActions& actions) {
  for (const lock::TableAction& action : actions) {
    if (const auto* sent = std::get_if<lock::SendToPeer>(&action)) {
      later(flight, Delivery{master, sent->to.number() - std::size_t{1}, sent->message});
    } else if (const auto* grant = std::get_if<lock::KeyGranted>(&action)) {
      granted(master, *grant);
    }
  }
}

void Mesh::ask(std::size_t master) {
  Master& asking = masters_[master];
  if (asking.asked || asking.holding || asking.requests.empty()) return;
  asking.asked = true;
  asking.overtaken = 0;
  lock::TableActions actions;
  asking.table.acquire(key, now_, actions);
  perform(master, actions);
}

void Mesh::granted(std::size_t master, const lock::KeyGranted& grant) {
  Master& holder = masters_[master];
  counts_.responses.push_back(flights(now_ - holder.requests.front()));
  if (released_) counts_.delays.push_back(flights(now_ - *released_));
  released_.reset();
  counts_.longest_overtaking = std::max(counts_.longest_overtaking, holder.overtaken);
  for (Master& other : masters_) other.overtaken += other.asked && &other != &holder ? 1 : 0;
  holder.requests.pop_front();
  holder.asked = false;
  holder.holding = true;
  holder.token = grant.token;
  ++counts_.grants;
  ++counts_.shares[master];
  later(hold_, Leave{master});
}

bool Mesh::anybody_waits() const {
  return std::ranges::any_of(masters_, [](const Master& master) { return master.asked; });
}

void Mesh::leave(std::size_t master) {
  Master& holder = masters_[master];
  if (anybody_waits()) released_ = now_;
  holder.holding = false;
  lock::TableActions actions;
  holder.table.release(key, holder.token, {holder.token, {}, false, "value"}, now_, actions);
  perform(master, actions);
  if (again_) holder.requests.push_back(now_);
  ask(master);
}

// --- workloads -----------------------------------------------------------------------------------

void Mesh::begin() {
  counts_ = {};
  counts_.shares.resize(masters_.size());
  messages_before_ = bytes_before_ = 0;
  for (const Master& master : masters_) {
    messages_before_ += master.table.statistics().messages_sent;
    bytes_before_ += master.table.statistics().bytes_sent;
  }
  steps_ = 0;
}

Counts Mesh::finish() {
  for (const Master& master : masters_) {
    counts_.messages += master.table.statistics().messages_sent;
    counts_.bytes += master.table.statistics().bytes_sent;
  }
  counts_.messages -= messages_before_;
  counts_.bytes -= bytes_before_;
  return counts_;
}

void Mesh::run_until(std::uint64_t grants) {
  while (counts_.grants < grants && steps_ < most_events) step();
  counts_.ended = counts_.grants >= grants;
}

// Lets all messages arrive.
void Mesh::let_arrive() {
  const TimePoint end = now_ + rest;
  while (!events_.empty() && events_.top().at <= end) step();
  now_ = end;
}

Counts Mesh::light(std::uint64_t grants) {
  hold_ = Duration{0};
  again_ = false;
  // Each master holds the key once before the counts begin: in some locks, its first hold costs
  // other messages, because masters first learn of the key.
  for (std::size_t master = 0; master < masters_.size(); ++master) {
    later(Duration{0}, Request{master});
    let_arrive();
  }
  begin();
  for (std::uint64_t number = 1; number <= grants; ++number) {
    later(Duration{0}, Request{number % masters_.size()});
    run_until(number);
    let_arrive();
  }
  return finish();
}

Counts Mesh::heavy(std::uint64_t grants, Duration hold) {
  hold_ = hold;
  again_ = true;
  begin();
  for (std::size_t master = 0; master < masters_.size(); ++master) {
    later(Duration{0}, Request{master});
  }
  run_until(2 * masters_.size());  // the first holds differ from later holds
  released_.reset();
  begin();
  run_until(grants);
  return finish();
}

Counts Mesh::poisson(std::uint64_t grants, Duration hold, Duration mean) {
  hold_ = hold;
  again_ = false;
  begin();
  double at = 0;
  for (std::uint64_t number = 0; number < grants; ++number) {
    at -= std::log(1 - random_.unit()) * static_cast<double>(mean.count());
    later(Duration{static_cast<std::int64_t>(at)}, Request{random_.below(masters_.size())});
  }
  run_until(grants);
  return finish();
}

}  // namespace fixkeep::lab_theory
