// The multiphase lock: mutual exclusion among masters without a coordinator.
//
// States NONE, LURKING (wants the lock, keeps quiet until nobody is asking), SOLICITING (is asking
// everyone), ACQUIRED. Three messages: MyLock asks, YourLock grants, LockReset gives up or is done.
// Every node has a fixed, unique priority: the lower MasterId is the higher priority.
// Source: the published multiphase lock, amended in four places, each a hole that exhaustive search
// found and that tests/model shows again when its amendment is switched off:
//
//   1. rounds          every MyLock has a round, YourLock echoes it, a grant for another round is
//                      ignored. Otherwise a grant outlives the question that it answered.
//   2. gated reset     a lurker asks only when nobody's MyLock is outstanding, not at the first
//                      LockReset.
//   3. ordered links   LockReset and MyLock of one node never overtake each other (the driver's
//                      promises 1 and 2 in lock_machine.hpp).
//   4. hello and grace nothing is acquired before every configured peer has been heard of, or the
//                      grace after start is over.
//
// Fault model: crash and restart, loss of links seen by both ends, any delay, any bytes in the
// fields of a message. No two holders as long as the holders have had unbroken links to each other;
// two halves of a split mesh may each have one, and then `needs_fence` tells them so.
//
// Invariants: 1. in ACQUIRED every peer that is up has granted our round, or has come up since.
//             2. a peer in `deferred_` has an outstanding MyLock that we have not answered.
//             3. tokens that we grant ourselves are above every token that we have seen.
// Not promised: fairness. A lurker can be overtaken without bound.
// Cost: 3(n-1) messages and one round trip without contention; the release waits for nobody.
// Thread rule: a value, one owner. Bounds: O(masters). Errors: none.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "common/lock/lock_machine.hpp"

namespace fixkeep::lock {

// The amendments that can be switched off, by the model checker only (3 is the driver's).
struct AllAmendments {
  static constexpr bool rounds = true;
  static constexpr bool gated_reset = true;
  static constexpr bool join_first = true;
};

enum class MultiphaseKind : std::uint8_t { my_lock = 1, your_lock = 2, lock_reset = 3 };

template <class Amendments = AllAmendments>
class BasicMultiphase {
 public:
  explicit BasicMultiphase(const MeshView& mesh);

  void step(const LockEvent& event, TimePoint now, LockActions& out);

  // What a peer has to know as soon as it is connected: the MyLock that we have outstanding.
  [[nodiscard]] std::optional<LockMessage> hello() const;

  [[nodiscard]] std::string_view state() const;
  [[nodiscard]] bool idle() const { return state_ == State::none; }
  [[nodiscard]] bool holding() const { return state_ == State::acquired; }
  [[nodiscard]] FencingToken highest() const { return highest_; }

  friend bool operator==(const BasicMultiphase&, const BasicMultiphase&) = default;
  // Appends every field, so that two machines are equal exactly if their bytes are: for hashing.
  void append_bytes(std::string& out) const;

 private:
  enum class State : std::uint8_t { none, lurking, soliciting, acquired };

  void on(const Acquire&, LockActions& out);
  void on(const Abandon&, LockActions& out);
  void on(const Release& release, LockActions& out);
  void on(const Receive& receive, LockActions& out);
  void on(const PeerConnected& connected, LockActions& out);
  void on(const PeerUp& up, LockActions& out);
  void on(const PeerDown& down, LockActions& out);
  void on(const JoinGraceLapsed&, LockActions& out);
  void on(const Tick&, LockActions&) {}

  void asked(MasterId peer, std::uint64_t round, LockActions& out);
  void granted_by(MasterId peer, std::uint64_t round, LockActions& out);
  void ask_if_nobody_asks(LockActions& out);
  void acquire_if_all_granted(LockActions& out);
  void give_up(LockActions& out);
  void learn(FencingToken token, const LockValue& value);
  void send(MasterId to, MultiphaseKind kind, std::uint64_t round, LockActions& out) const;
  [[nodiscard]] bool may_ask() const;

  MasterId self_;
  std::size_t peers_;             // configured ones
  std::set<MasterId> missing_;    // configured peers not heard of since start; emptied by the grace
  std::set<MasterId> connected_;  // they know what we have outstanding, and hear every change
  std::set<MasterId> up_;         // and we know what they have; a subset of connected_
  State state_ = State::none;
  std::uint64_t round_ = 0;
  std::map<MasterId, std::uint64_t> asking_;    // peers with an outstanding MyLock, and its round
  std::map<MasterId, std::uint64_t> deferred_;  // those of them that wait for our answer
  std::set<MasterId> granted_;                  // peers that granted our round
  FencingToken highest_;
  LockValue value_;
  bool mesh_changed_ = true;  // since the last hold that its caller could fence
};

using Multiphase = BasicMultiphase<>;

}  // namespace fixkeep::lock
