// Lamport's lock: every master has the same queue of requests in logical time.
//
// Source: L. Lamport, "Time, Clocks, and the Ordering of Events in a Distributed System", 1978. A
// master that wants the lock queues its own Request(t) and sends it to all. Every other master
// queues the request and answers with a Reply. At the end of a hold the holder sends Release to
// all. A master enters (gets the lock) when its own request is the first in its queue and every
// peer has answered with a later time. Times are (clock, MasterId), so two times are never equal.
// Links keep the order: after a peer's later answer we know all its earlier requests.
//
// Amended for masters that crash, restart and forget:
//   1. peers        A peer that is down leaves the queue and its answer is not needed. The Hello of
//                   a new connection contains the outstanding request. The peer answers this
//                   request as usual.
//   2. late answer  If a request is earlier than the holder's own request, the holder answers it
//                   only after the hold. Without faults no master sends such a request. A restarted
//                   master has forgotten its clock and can send such a request. Without this rule,
//                   the restarted master would enter during the hold (tests/model finds this).
//   3. told again   If our table is full, we answer a peer's request and forget it. If we later
//                   send our own request, each peer whose request is earlier answers ReplyBehind.
//                   We then add this peer to our queue again.
//   4. join         Requests are sent only after all peers have sent a Hello or after the grace has
//                   lapsed.
//
// Fault model: masters crash and restart; any delay. These faults never cause two holders. But if a
// link between two live masters breaks or a grace lapses, each side drops the other side's
// requests. Then the lock is NOT exclusive; docs/locks-under-partition.md shows how. `needs_fence`
// tells all holders, or all except one holder, to fence. A peer that breaks the protocol can break
// the exclusion, but makes no machine fail. Unknown kinds, times above largest_time and messages
// from peers that are not up are ignored.
//
// Invariants: 1. The clock is at or above every time that was seen or used here. The clock begins
//                above all times that the key's earlier machines used. round() is the clock.
//             2. `queue_`, `answered_` and `put_off_` contain only peers that are up.
//             3. `put_off_` is empty unless we hold.
//             4. Tokens and fences follow membership.hpp.
// Fairness: in the order of the requests' times; no later request overtakes an earlier request.
// Cost: 3(n-1) messages and one round trip without contention. Requests carry no value.
// Bounds: state O(masters); one step sends at most 2(n-1) messages.
// Thread rule: a value, one owner. Errors: none.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "lock/core/lock_machine.hpp"
#include "lock/core/membership.hpp"

namespace fixkeep::lock {

enum class LamportKind : std::uint8_t { request = 1, reply = 2, reply_behind = 3, release = 4 };

class Lamport {
 public:
  explicit Lamport(const MeshView& mesh) : mesh_(mesh), clock_(mesh.used_rounds) {}

  void step(const LockEvent& event, TimePoint now, LockActions& out);

  // Returns our open or granted request, which every newly connected peer has to know.
  [[nodiscard]] std::optional<LockMessage> hello() const;

  [[nodiscard]] std::string_view state() const {
    constexpr std::array<std::string_view, 4> names{"idle", "waiting", "asking", "acquired"};
    return names[static_cast<std::size_t>(state_)];
  }
  [[nodiscard]] bool holding() const { return state_ == State::acquired; }
  [[nodiscard]] bool forgettable() const { return state_ == State::idle && queue_.empty(); }
  [[nodiscard]] std::uint64_t round() const { return clock_; }
  [[nodiscard]] FencingToken highest() const { return mesh_.highest; }
  void raise(std::uint64_t floor) { mesh_.raise(floor); }
  [[nodiscard]] const LockValue& value() const { return mesh_.value; }
  [[nodiscard]] static std::string_view kind_name(std::uint8_t kind);

  friend bool operator==(const Lamport&, const Lamport&) = default;
  void append_bytes(std::string& out) const {
    mesh_.append_bytes(out);
    MachineBytes{out}.put(state_, clock_, time_, queue_, answered_, put_off_);
  }

 private:
  enum class State : std::uint8_t { idle, waiting, asking, acquired };

  void on(const Acquire&, LockActions& out);
  void on(const Abandon&, LockActions& out);
  void on(const Release& release, LockActions& out);
  void on(const Receive& receive, LockActions& out);
  void on(const PeerConnected& connected, LockActions&) { mesh_.on(connected); }
  void on(const PeerUp& up, LockActions& out);
  void on(const PeerDown& down, LockActions& out);
  void on(const JoinGraceLapsed& lapsed, LockActions& out);
  void on(const MastersListed& listed, LockActions& out);
  void on(const Tick&, LockActions&) {}

  void asked(MasterId peer, std::uint64_t time, LockActions& out);
  void ask_if_joined(LockActions& out);
  void enter_if_first(LockActions& out);
  void give_up(LockActions& out);
  void send(MasterId to, LamportKind kind, std::uint64_t time, LockActions& out) const;
  [[nodiscard]] bool before_us(MasterId peer, std::uint64_t time) const;
  [[nodiscard]] bool asked_already() const {
    return state_ == State::asking || state_ == State::acquired;
  }

  Membership mesh_;
  State state_ = State::idle;
  std::uint64_t clock_;
  std::uint64_t time_ = 0;                   // time of our own request
  std::map<MasterId, std::uint64_t> queue_;  // times of the peers' requests
  std::set<MasterId> answered_;              // peers whose answer is later than our request
  std::set<MasterId> put_off_;               // peers that we answer after our hold
};

static_assert(LockMachine<Lamport>);

}  // namespace fixkeep::lock
