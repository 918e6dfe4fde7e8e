// The lock machine of one key on one master, if the lock is in a server (Redis, etcd, ZooKeeper,
// PostgreSQL, Kubernetes).
//
// It forwards the caller's requests as AskEngine and receives the engine's replies. For every
// strategy, LockTable limits waits and holds, counts them and forgets idle keys. The engines need
// not do this.
// Fault model: that of the engine (lock/engines). A reply for a round that is not open is ignored.
// An engine that granted an abandoned round receives the abandon and then releases the lock.
//
// Invariants: 1. A round has one AskEngine acquire. Exactly one abandon or release follows, unless
//                the engine reports Lost first.
// Thread rule: a value, one owner. Bounds: O(1). Errors: Lost.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "lock/core/lock_machine.hpp"
#include "lock/core/machine_bytes.hpp"

namespace fixkeep::lock {

struct EngineReply {
  std::uint64_t round = 0;
  std::variant<Granted, Lost> said;
};

class Remote {
 public:
  explicit Remote(const MeshView& mesh) : round_(mesh.used_rounds) {}

  void step(const LockEvent& event, TimePoint, LockActions& out) {
    if (std::holds_alternative<Acquire>(event)) {
      state_ = State::asking;
      ++round_;
      out.emplace_back(AskEngine{AskEngine::Call::acquire, round_, highest_, {}, floor_});
    } else if (std::holds_alternative<Abandon>(event)) {
      if (state_ == State::idle) return;
      state_ = State::idle;
      out.emplace_back(AskEngine{AskEngine::Call::abandon, round_, highest_, {}, 0});
    } else if (const auto* release = std::get_if<Release>(&event)) {
      state_ = State::idle;
      highest_ = std::max(highest_, release->token);
      value_ = release->value;
      out.emplace_back(AskEngine{AskEngine::Call::release, round_, highest_, value_, 0});
    }
  }

  void reply(const EngineReply& reply, LockActions& out) {
    if (state_ == State::idle || reply.round != round_) return;
    if (const auto* granted = std::get_if<Granted>(&reply.said)) {
      if (state_ != State::asking) return;
      state_ = State::acquired;
      Granted bounded = *granted;
      bounded.token.counter = std::min(bounded.token.counter, largest_counter);
      highest_ = std::max(highest_, bounded.token);
      value_ = bounded.value;
      out.emplace_back(std::move(bounded));
    } else {
      state_ = State::idle;
      out.emplace_back(std::get<Lost>(reply.said));
    }
  }

  [[nodiscard]] std::optional<LockMessage> hello() const { return {}; }
  [[nodiscard]] std::string_view state() const {
    constexpr std::array<std::string_view, 3> names{"idle", "asking", "acquired"};
    return names[static_cast<std::size_t>(state_)];
  }
  [[nodiscard]] bool holding() const { return state_ == State::acquired; }
  [[nodiscard]] bool forgettable() const { return state_ == State::idle; }
  [[nodiscard]] std::uint64_t round() const { return round_; }
  [[nodiscard]] FencingToken highest() const { return highest_; }
  void raise(std::uint64_t floor) { floor_ = std::max(floor_, floor); }
  [[nodiscard]] const LockValue& value() const { return value_; }
  [[nodiscard]] static std::string_view kind_name(std::uint8_t) { return "?"; }

  friend bool operator==(const Remote&, const Remote&) = default;
  void append_bytes(std::string& out) const {
    MachineBytes{out}.put(state_, round_, highest_, floor_, value_);
  }

 private:
  enum class State : std::uint8_t { idle, asking, acquired };

  State state_ = State::idle;
  std::uint64_t round_;
  FencingToken highest_;  // this key's highest token
  std::uint64_t floor_ = 0;
  LockValue value_;
};
static_assert(LockMachine<Remote>);

}  // namespace fixkeep::lock
