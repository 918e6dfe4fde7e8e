#include "lock/node/turns_loop.hpp"

#include <algorithm>
#include <utility>

namespace fixkeep::lock_node {

TurnsLoop::TurnsLoop(Participant& participant, const MeasureUncontended& wanted, Done done)
    : participant_(participant),
      key_(wanted.key),
      peer_(wanted.peer),
      block_samples_(std::max(1U, wanted.count / wanted.blocks)),
      blocks_(std::min(wanted.blocks, wanted.count)),
      warm_up_(wanted.warm_up),
      time_(wanted.time),
      done_(std::move(done)) {}

TurnsLoop::TurnsLoop(Participant& participant, const MeasureEcho& wanted, Done done)
    : participant_(participant),
      peer_(wanted.peer),
      locks_(false),
      block_samples_(wanted.count),
      blocks_(1),
      warm_up_(0),
      done_(std::move(done)) {}

void TurnsLoop::begin() {
  if (locks_ && participant_.wanted(key_)) return fail("the key is wanted or held already");
  for (auto* samples : {&one_, &all_, &acquire_, &lock_}) {
    samples->reserve(std::size_t{block_samples_} * blocks_);
  }
  turn_ = Turn::warm_up;
  left_ = warm_up_;
  begun_ = Clock::now();
  next();
}

void TurnsLoop::next() {
  if (left_ == 0) end_turn();
  if (ended_) return;
  --left_;
  begin_sample();
}

void TurnsLoop::begin_sample() {
  started_ = Clock::now();
  switch (turn_) {
    case Turn::warm_up:
    case Turn::lock: participant_.acquire(key_); return;
    case Turn::one:
      awaited_ = 1;
      if (!participant_.echo(peer_)) fail("there is no link to that peer");
      return;
    case Turn::all:
      awaited_ = participant_.options().peers.size();
      for (const auto& [peer, address] : participant_.options().peers) {
        if (!participant_.echo(peer)) return fail("there is no link to one of the peers");
      }
      return;
  }
}

void TurnsLoop::end_turn() {
  switch (turn_) {
    case Turn::warm_up: turn_ = Turn::one; break;
    case Turn::one: turn_ = Turn::all; break;
    case Turn::all:
      turn_ = locks_ ? Turn::lock : Turn::one;
      if (!locks_) return finish();
      break;
    case Turn::lock:
      turn_ = Turn::one;
      if (++block_ == blocks_ || Clock::now() - begun_ > time_) return finish();
      break;
  }
  left_ = block_samples_;
}

bool TurnsLoop::owns(const GroupKey& key) const {
  return !ended_ && locks_ && key == key_;
}

void TurnsLoop::granted(const lock::KeyGranted&) {
  const auto at = Clock::now();
  participant_.release(key_, "a lock value", /*uncertain=*/false);
  if (turn_ == Turn::lock) {
    acquire_.add(at - started_);
    lock_.add(Clock::now() - started_);
  }
  next();
}

void TurnsLoop::echoed() {
  if (ended_ || awaited_ == 0 || --awaited_ > 0) return;
  (turn_ == Turn::one ? one_ : all_).add(Clock::now() - started_);
  next();
}

void TurnsLoop::lost(const GroupKey&, lock::LostReason) {
  fail("the lock was lost");
}

void TurnsLoop::peer_gone(MasterId peer) {
  fail("the link to " + to_string(peer) + " went down");
}

void TurnsLoop::fail(const std::string& why) {
  if (std::exchange(ended_, true)) return;
  if (locks_) participant_.abandon(key_);
  done_({}, why);
}

void TurnsLoop::finish() {
  ended_ = true;
  nlohmann::json found{{"round_trip_us", one_.summary()}, {"round_trip_all_us", all_.summary()}};
  if (locks_) {
    found["key"] = key_.text();
    found["acquire_us"] = acquire_.summary();
    found["lock_us"] = lock_.summary();
    found["ratio_p50"] = lock_.percentile(50) / std::max(one_.percentile(50), 0.001);
  }
  done_(std::move(found), {});
}

}  // namespace fixkeep::lock_node
