// The multiphase lock: mutual exclusion among masters without a coordinator.
//
// Source: the published multiphase lock. Four states: NONE, LURKING (wants the lock, waits until no
// node asks), SOLICITING (asks all nodes), ACQUIRED. Three messages: MyLock asks, YourLock grants,
// LockReset ends a request or a hold. Every node has a fixed and unique priority: a lower MasterId
// has a higher priority. A soliciting node defers requests of lower priority. A node that holds the
// lock defers all requests. A node grants its deferred requests when it gives up or releases.
//
// Amended in four places. Each amendment mends an error that exhaustive search found in the
// published lock. If an amendment is left out, tests/model and tests/scenarios show its error
// again:
//   1. rounds          Every MyLock has a round. YourLock repeats the round. A grant for another
//                      round is ignored. Otherwise a late grant counts for a later request.
//   2. gated reset     A lurker asks only when no MyLock is outstanding, not at the first
//                      LockReset. Otherwise the lurker could ask while another master, which
//                      already has the lurker's grant, is asking too.
//   3. ordered links   LockReset and MyLock of one node never overtake each other (the driver's
//                      promises 1 and 2 in lock_machine.hpp).
//   4. hello and grace A lock is acquired only after every configured peer has sent a Hello or
//                      after the grace is over. Otherwise a master that starts alone believes that
//                      there are no other masters.
//
// Fault model: masters crash and restart; links break, and the two ends may notice at different
// times; any delay. As long as links between live masters stay up and no grace lapses, there are
// never two holders. Otherwise two masters may hold at the same time. The master that noticed the
// fault gets `needs_fence`. The workers' promises then prevent a second room (docs/locks.md, "The
// fence"). A peer that breaks the protocol can break the exclusion but makes no machine fail.
// Unknown kinds, stale rounds, tokens beyond the largest counter and messages from peers that are
// not up are ignored.
//
// Invariants: 1. In ACQUIRED every peer that is up has granted our round or has come up during our
//                hold.
//             2. A peer in `deferred_` has a MyLock that we have not answered. `deferred_` is empty
//                unless SOLICITING or ACQUIRED.
//             3. All peers in `deferred_` are also in `asking_`. `asking_` and `granted_` contain
//                only peers that are up.
//             4. Tokens and fences follow membership.hpp.
// Fairness: none promised. Two other nodes that alternate can overtake a lurker any number of
// times. This happens only if each node's MyLock always reaches the lurker before the other node's
// LockReset. Players lose nothing: a master abandons the lock when its players find seats in other
// masters' rooms.
// Cost: 3(n-1) messages and one round trip without contention; the release waits for no answer.
// Bounds: state O(masters); one step sends at most 2(n-1) messages. MyLock carries no value.
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

enum class MultiphaseKind : std::uint8_t { my_lock = 1, your_lock = 2, lock_reset = 3 };

class Multiphase {
 public:
  explicit Multiphase(const MeshView& mesh);

  void step(const LockEvent& event, TimePoint now, LockActions& out);

  // Returns our outstanding MyLock, which every newly connected peer has to know.
  [[nodiscard]] std::optional<LockMessage> hello() const;

  [[nodiscard]] std::string_view state() const {
    constexpr std::array<std::string_view, 4> names{"idle", "lurking", "soliciting", "acquired"};
    return names[static_cast<std::size_t>(state_)];
  }
  [[nodiscard]] bool holding() const { return state_ == State::acquired; }
  [[nodiscard]] bool forgettable() const { return state_ == State::none && asking_.empty(); }
  [[nodiscard]] std::uint64_t round() const { return round_; }
  [[nodiscard]] FencingToken highest() const { return mesh_.highest; }
  void raise(std::uint64_t floor) { mesh_.raise(floor); }
  [[nodiscard]] const LockValue& value() const { return mesh_.value; }
  [[nodiscard]] static std::string_view kind_name(std::uint8_t kind);

  friend bool operator==(const Multiphase&, const Multiphase&) = default;
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
  void on(const MastersListed&, LockActions& out);
  void on(const Tick&, LockActions&) {}

  void asked(MasterId peer, std::uint64_t round, LockActions& out);
  void granted_by(MasterId peer, std::uint64_t round, LockActions& out);
  void ask_if_nobody_asks(LockActions& out);
  void acquire_if_all_granted(LockActions& out);
  void give_up(LockActions& out);
  void send(MasterId to, MultiphaseKind kind, std::uint64_t round, LockActions& out) const;

  Membership mesh_;
  State state_ = State::none;
  std::uint64_t round_ = 0;
  std::map<MasterId, std::uint64_t> asking_;    // peers with an outstanding MyLock; its round
  std::map<MasterId, std::uint64_t> deferred_;  // peers that wait for our answer
  std::set<MasterId> granted_;                  // peers that granted our round
};

static_assert(LockMachine<Multiphase>);

}  // namespace fixkeep::lock
