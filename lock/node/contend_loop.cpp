#include "lock/node/contend_loop.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/post.hpp>
#include <cstdio>
#include <fstream>
#include <string_view>
#include <utility>

#include "common/net/steady_clock.hpp"

#include "lock/node/samples.hpp"

namespace fixkeep::lock_node {

namespace {

std::string name_of(std::uint32_t key) {
  return "contend-" + std::to_string(key);
}

std::int64_t nanoseconds(std::chrono::steady_clock::time_point time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

}  // namespace

ContendLoop::ContendLoop(boost::asio::io_context& context, Participant& participant,
                         const Contend& wanted, Done done)
    : context_(context),
      participant_(participant),
      wanted_(wanted),
      done_(std::move(done)),
      random_(wanted.seed),
      timer_(context) {
  for (std::uint32_t key = 0; key < wanted_.keys; ++key) {
    names_.emplace_back(name_of(key));
    free_.push_back(key);
  }
  const auto slots = std::min(wanted_.in_flight, wanted_.keys);
  slots_.reserve(slots);
  for (std::uint32_t slot = 0; slot < slots; ++slot) slots_.emplace_back(context_);
}

void ContendLoop::begin() {
  for (const auto& name : names_) {
    if (!participant_.wanted(name)) continue;
    ended_ = true;
    return done_({}, name.text() + " is wanted or held already");
  }
  start_ = std::max(wanted_.at, net::steady_now());
  timer_.expires_at(Clock::time_point{start_.time_since_epoch()});
  timer_.async_wait([this, self = shared_from_this()](boost::system::error_code error) {
    if (!error && !ended_) start_slots();
  });
}

void ContendLoop::start_slots() {
  timer_.expires_at(Clock::time_point{(start_ + wanted_.time).time_since_epoch()});
  timer_.async_wait([this, self = shared_from_this()](boost::system::error_code error) {
    if (!error && !ended_) finish();
  });
  for (auto& slot : slots_) ask(slot);
}

void ContendLoop::ask(Slot& slot) {
  if (ended_) return;
  const auto at = static_cast<std::size_t>(random_.below(free_.size()));
  slot.entry = {};
  slot.entry.key = std::exchange(free_[at], free_.back());
  free_.pop_back();
  slot.busy = true;
  slot.held = false;
  slot.entry.asked = Clock::now();
  participant_.acquire(names_[slot.entry.key]);
}

std::size_t ContendLoop::slot_of(const GroupKey& key) const {
  const auto found = std::find_if(slots_.begin(), slots_.end(), [&](const Slot& slot) {
    return slot.busy && names_[slot.entry.key] == key;
  });
  return static_cast<std::size_t>(found - slots_.begin());
}

bool ContendLoop::owns(const GroupKey& key) const {
  return !ended_ && slot_of(key) < slots_.size();
}

void ContendLoop::granted(const lock::KeyGranted& grant) {
  const auto at = slot_of(grant.key);
  auto& slot = slots_[at];
  slot.entry.ended = Clock::now();
  slot.entry.counter = grant.token.counter;
  slot.held = true;
  hold(at);
}

// Releases the lock after `wanted_.hold`, but never within this call. Otherwise a node that needs
// no peer for a lock would loop without end.
void ContendLoop::hold(std::size_t at) {
  auto& slot = slots_[at];
  const auto go_on = [this, self = shared_from_this(), at, number = ++slot.holds] {
    auto& mine = slots_[at];
    if (ended_ || !mine.held || mine.holds != number) return;
    release(mine);
    if (log_.size() + slots_.size() > most_acquires) return finish();
    ask(mine);
  };
  if (wanted_.hold == Duration{}) {
    boost::asio::post(context_, go_on);
    return;
  }
  slot.timer.expires_after(wanted_.hold);
  slot.timer.async_wait([go_on](boost::system::error_code error) {
    if (!error) go_on();
  });
}

void ContendLoop::release(Slot& slot) {
  const auto& name = names_[slot.entry.key];
  slot.entry.released = Clock::now();
  ++granted_;
  keep(slot);
  participant_.release(name, "a lock value", /*uncertain=*/false);
}

void ContendLoop::keep(Slot& slot) {
  log_.push_back(slot.entry);
  free_.push_back(slot.entry.key);
  slot.busy = slot.held = false;
}

void ContendLoop::lost(const GroupKey& key, lock::LostReason) {
  const auto at = slot_of(key);
  auto& slot = slots_[at];
  ++lost_;
  if (slot.held) {
    slot.entry.released = Clock::now();
  } else {
    slot.entry.ended = Clock::now();
    slot.entry.outcome = Outcome::lost;
  }
  keep(slot);
  // The next acquire waits for the next turn of the event loop: a full table reports Lost
  // immediately, and acquires and losses would follow each other without end.
  boost::asio::post(context_, [this, self = shared_from_this(), at] {
    if (!ended_ && !slots_[at].busy) ask(slots_[at]);
  });
}

void ContendLoop::finish() {
  ended_ = true;
  timer_.cancel();
  const std::chrono::duration<double> lasted = net::steady_now() - start_;
  for (auto& slot : slots_) {
    slot.timer.cancel();
    if (!slot.busy) continue;
    if (slot.held) {
      release(slot);
      continue;
    }
    slot.entry.outcome = Outcome::abandoned;
    slot.entry.ended = Clock::now();
    ++abandoned_;
    participant_.abandon(names_[slot.entry.key]);
    keep(slot);
  }
  if (!wanted_.log.empty() && !write_log()) return done_({}, "cannot write " + wanted_.log);
  Samples waits;
  waits.reserve(log_.size());
  for (const auto& entry : log_) waits.add(entry.ended - entry.asked);
  done_({{"granted", granted_},
         {"lost", lost_},
         {"abandoned", abandoned_},
         {"seconds", lasted.count()},
         {"wait_us", waits.summary()}},
        {});
}

bool ContendLoop::write_log() const {
  constexpr std::array<std::string_view, 3> outcomes{"granted", "lost", "abandoned"};
  std::ofstream file{wanted_.log};
  for (const auto& entry : log_) {
    file << outcomes[static_cast<std::size_t>(entry.outcome)] << ' ' << entry.key << ' '
         << entry.counter << ' ' << nanoseconds(entry.asked) << ' ' << nanoseconds(entry.ended)
         << ' ' << nanoseconds(entry.released) << '\n';
  }
  file.close();
  return !file.fail();
}

}  // namespace fixkeep::lock_node
