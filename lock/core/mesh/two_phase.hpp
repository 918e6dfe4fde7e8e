// Two-phase commit instead of a lock: the spawn itself is the proposal and all masters vote on it.
//
// Source: J. Gray, "Notes on Data Base Operating Systems", 1978. Presumed abort after C. Mohan, B.
// Lindsay and R. Obermarck, 1986. A master that wants to spawn sends Prepare to all, with the token
// that follows the highest token that it knows. A master has one vote at a time. It votes Yes if it
// has no proposal of its own and no other proposal is in doubt. It is then prepared: the proposal
// is in doubt until its outcome arrives. Otherwise it votes No. If all vote Yes the lock is granted
// and the spawn is carried out. The proposer sends the result to all in Commit, and they
// acknowledge it. If a vote is No or comes late, the proposer sends Abort, which needs no
// acknowledgement. It tries again after a random pause.
//
// This strategy shows why a contended resource needs a lock and not two-phase commit. Two-phase
// commit quickly decides an uncontended proposal but has no queue. Two masters that propose at the
// same time refuse each other's proposal, and both masters try again. Doubling pauses make endless
// collisions improbable but not impossible. A master in doubt can only wait. LockTable bounds this
// wait (wait and lease). Links report a silent proposer as down.
//
// Amended for masters that crash and restart. If a proposer is down, its proposal counts as
// aborted. The next holder's fence finds this proposer's orders. A peer that is down need not vote.
// The Hello of a new connection contains the open proposal, and the peer votes on this proposal as
// usual. A master proposes only after all peers have sent a Hello or after the grace has lapsed. A
// vote repeats the round of its proposal. A vote for another round is ignored.
//
// Fault model: masters crash and restart; any delay. There are never two holders, because each
// holder would need the vote of the other holder. But if a link between two live masters breaks or
// a grace lapses, each side no longer waits for the other side's vote. Then the lock is NOT
// exclusive; docs/locks-under-partition.md shows how. `needs_fence` tells all holders, or all
// except one holder, to fence. A peer that breaks the protocol can break the exclusion but makes no
// machine fail: unknown kinds, other rounds and messages from peers that are not up are ignored.
//
// Invariants: 1. While a master proposes or holds the lock, it votes No and has no other proposal
//                in doubt.
//             2. `proposer_`, `votes_` and `unacknowledged_` name only peers that are connected.
//             3. A waiting master has not joined yet, has a proposal in doubt or has set its timer.
//             4. Tokens and fences follow membership.hpp.
// Fairness: none; the master that tries at the right moment wins.
// Cost: 4(n-1) messages (Prepare, Yes, Commit, Ack) and one round trip before the grant without
// contention. Each failed try costs up to 3(n-1) messages. Prepare carries no value.
// Bounds: state O(masters); one step sends at most n-1 messages and sets one timer.
// Thread rule: a value, one owner. Errors: none.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "lock/core/lock_machine.hpp"
#include "lock/core/membership.hpp"

namespace fixkeep::lock {

// The timeout of a proposal's votes and the longest pause before the next try. Both double with
// every failed try: the timeout to at most 8 times, the longest pause to at most 128 times. Thus
// even votes over slow links arrive in time, and the tries of any number of masters spread out.
inline constexpr Duration vote_timeout{std::chrono::milliseconds{250}};
inline constexpr Duration longest_pause{std::chrono::milliseconds{2}};

enum class TwoPhaseKind : std::uint8_t {
  prepare = 1,
  yes = 2,
  no = 3,
  commit = 4,
  abort = 5,
  acknowledge = 6,
};

[[nodiscard]] std::string_view name_of(TwoPhaseKind kind);  // "?" for an unknown kind

// Returns the pause after `tries` failed tries. The same input gives the same pause. No two masters
// have the same input, so masters that collided rarely pause for the same time.
[[nodiscard]] Duration pause_of(MasterId self, FencingToken highest, std::uint64_t round,
                                std::uint32_t tries);

class TwoPhase {
 public:
  explicit TwoPhase(const MeshView& mesh) : mesh_(mesh), round_(mesh.used_rounds) {}

  void step(const LockEvent& event, TimePoint now, LockActions& out);

  // Returns our proposal until its spawn is carried out. Every newly connected peer has to know
  // this proposal.
  [[nodiscard]] std::optional<LockMessage> hello() const {
    if (!has_proposal()) return {};
    return mesh_.message(TwoPhaseKind::prepare, round_);
  }

  [[nodiscard]] std::string_view state() const {
    if (state_ == State::idle && proposer_) return "prepared";
    constexpr std::array<std::string_view, 4> names{"idle", "waiting", "preparing", "acquired"};
    return names[static_cast<std::size_t>(state_)];
  }
  [[nodiscard]] bool holding() const { return state_ == State::acquired; }
  [[nodiscard]] bool forgettable() const {
    return state_ == State::idle && !proposer_ && unacknowledged_.empty();
  }
  [[nodiscard]] std::uint64_t round() const { return round_; }
  [[nodiscard]] FencingToken highest() const { return mesh_.highest; }
  void raise(std::uint64_t floor) { mesh_.raise(floor); }
  [[nodiscard]] const LockValue& value() const { return mesh_.value; }
  [[nodiscard]] static std::string_view kind_name(std::uint8_t kind) {
    return name_of(static_cast<TwoPhaseKind>(kind));
  }

  friend bool operator==(const TwoPhase&, const TwoPhase&) = default;
  void append_bytes(std::string& out) const {
    mesh_.append_bytes(out);
    MachineBytes{out}.put(state_, round_, votes_, tries_, timer_, proposer_, proposal_, committed_,
                          unacknowledged_);
  }

 private:
  enum class State : std::uint8_t { idle, waiting, preparing, acquired };

  void on(const Acquire&, TimePoint now, LockActions& out);
  void on(const Abandon&, TimePoint now, LockActions& out);
  void on(const Release& release, TimePoint now, LockActions& out);
  void on(const Receive& receive, TimePoint now, LockActions& out);
  void on(const PeerConnected& connected, TimePoint, LockActions&) { mesh_.on(connected); }
  void on(const PeerUp& up, TimePoint now, LockActions& out);
  void on(const PeerDown& down, TimePoint now, LockActions& out);
  void on(const JoinGraceLapsed& lapsed, TimePoint now, LockActions& out);
  void on(const MastersListed& listed, TimePoint now, LockActions& out);
  void on(const Tick&, TimePoint now, LockActions& out);

  void proposed(MasterId peer, std::uint64_t round, LockActions& out);
  void decided(MasterId peer, std::uint64_t round, TimePoint now, LockActions& out);
  void propose_if_free(TimePoint now, LockActions& out);
  void grant_if_all_voted(LockActions& out);
  void abort(std::optional<MasterId> refuser, LockActions& out);
  void try_again_later(TimePoint now, LockActions& out);
  void pause(TimePoint now, LockActions& out);
  void set_timer(TimePoint at, LockActions& out) {
    timer_ = true;
    out.emplace_back(SetTimer{at});
  }
  void stop_timer(LockActions& out) {
    if (std::exchange(timer_, false)) out.emplace_back(SetTimer{TimePoint::max()});
  }
  void send(MasterId to, TwoPhaseKind kind, std::uint64_t round, LockActions& out) const;
  [[nodiscard]] bool has_proposal() const {
    return state_ == State::preparing || state_ == State::acquired;
  }

  Membership mesh_;
  State state_ = State::idle;
  // Our own proposal.
  std::uint64_t round_;
  std::set<MasterId> votes_;  // peers that voted Yes
  std::uint32_t tries_ = 0;   // failed tries since the last acquire, counted up to most_doublings
  bool timer_ = false;        // a timer runs: for late votes (preparing) or the next try (waiting)
  // The proposal of another master.
  std::optional<MasterId> proposer_;  // the master that has our Yes; the outcome of its proposal is
                                      // unknown
  std::uint64_t proposal_ = 0;
  // Our last committed proposal: its round, and the peers that have not acknowledged it.
  std::uint64_t committed_ = 0;
  std::set<MasterId> unacknowledged_;
};

static_assert(LockMachine<TwoPhase>);

}  // namespace fixkeep::lock
