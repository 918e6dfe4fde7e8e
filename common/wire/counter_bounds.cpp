#include "common/wire/counter_bounds.hpp"

#include <algorithm>
#include <variant>

namespace fixkeep::wire {
namespace {

using std::chrono::hours;
using std::chrono::system_clock;

std::uint64_t microseconds_since_1970(system_clock::time_point time) {
  const auto since =
      std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count();
  return static_cast<std::uint64_t>(std::max<decltype(since)>(since, 0));
}

struct Bound {
  std::uint64_t most;

  void operator()(WorkerState& state) const {
    state.highest_counter = std::min(state.highest_counter, most);
  }
  void operator()(PrepareReply& reply) const { bound(reply.highest); }
  void operator()(SpawnReply& reply) const { bound(reply.highest); }
  void operator()(const RoomsChanged&) const {}
  void operator()(const SeatReply&) const {}
  void operator()(const SeatsReleased&) const {}

  void bound(FencingToken& token) const { token.counter = std::min(token.counter, most); }
};

struct Within {
  std::uint64_t most;

  bool operator()(const PrepareSpawn& prepare) const { return fits(prepare.token); }
  bool operator()(const SeatRequest& request) const {
    return !request.basis || fits(*request.basis);
  }
  bool operator()(const SpawnRoom& order) const {
    return fits(order.creation.token) && fits(order.basis);
  }
  bool operator()(const CloseWarmRoom& order) const {
    return fits(order.order.token) && fits(order.basis);
  }
  bool operator()(const lock::MeshMessage& message) const { return std::visit(*this, message); }
  bool operator()(const lock::LockMessage& message) const {
    return fits(message.token) && fits(message.value.stamp) && fits(message.value.fence);
  }
  bool operator()(const lock::MeshHello& hello) const {
    return hello.highest_counter <= most &&
           std::all_of(hello.outstanding.begin(), hello.outstanding.end(), *this);
  }
  bool operator()(const PoolMessage& message) const {
    return std::visit([&](const auto& said) { return fits(said.hold); }, message);
  }
  // All other messages have no counters.
  bool operator()(const ReleaseSeats&) const { return true; }
  bool operator()(const KeepWarm&) const { return true; }
  bool operator()(const ModesKnown&) const { return true; }
  bool operator()(const lock::MasterList&) const { return true; }

  [[nodiscard]] bool fits(const FencingToken& token) const { return token.counter <= most; }
};

}  // namespace

CounterBounds counter_bounds(system_clock::time_point now) {
  return {microseconds_since_1970(now + hours{1}), microseconds_since_1970(now + hours{2}),
          microseconds_since_1970(now + hours{3})};
}

void bound_counters(Report& report, std::uint64_t most) {
  std::visit(Bound{most}, report);
}

bool counters_within(const Order& order, std::uint64_t most) {
  return std::visit(Within{most}, order);
}

bool counters_within(const BetweenMasters& message, std::uint64_t most) {
  return std::visit(Within{most}, message);
}

}  // namespace fixkeep::wire
