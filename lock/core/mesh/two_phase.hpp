// Two-phase commit instead of a lock: the spawn itself is the proposal that all masters vote on.
//
// Source: J. Gray, "Notes on Data Base Operating Systems", 1978. Presumed abort after C. Mohan, B.
// Lindsay and R. Obermarck, 1986. A master that wants to spawn sends Prepare to all, with the token
// after the highest one that it knows. A master has one vote at a time. It says Yes if it proposes
// nothing itself and no proposal is in doubt. Then it is prepared: in doubt until it hears the
// outcome. Otherwise it says No. All Yes: the lock is granted and the spawn is carried out. Commit
// brings its result to all, and they acknowledge it. One No, or no complete vote in time: Abort
// without acknowledgement. Another try follows after a random pause.
//
// It shows why an undecided resource needs a lock and not two-phase commit. Commit quickly decides
// an undisputed proposal but has no queue. Two proposals that meet refuse each other and are tried
// again. Doubling pauses make it improbable, not impossible, that they meet for ever. A master in
// doubt can only wait. The bounds are the table's (wait and lease) and the links',
// which report a silent proposer as down.
//
// Made whole for masters that crash and restart. A proposer that is down has aborted. The fence
// finds its orders. A peer that is down need not vote. A new connection begins with a Hello with
// the open proposal. It is voted on as any other. Nothing is proposed before all peers were heard
// of or the grace has lapsed. A vote echoes the round of its proposal. A vote for another round is
// ignored.
//
// Fault model: masters crash and restart, any delay. Never two holders: each would need the vote of
// the other. If a link between two live masters breaks or a grace lapses, each does without that
// vote. Then the lock is NOT exclusive; docs/locks-under-partition.md prints how. `needs_fence`
// tells all holders but at most one to fence. A peer that breaks the protocol can spoil this but
// makes no machine fail: unknown kinds, other rounds and messages of peers that are not up are
// ignored.
//
// Invariants: 1. A master that proposes or holds votes No and has no proposal in doubt.
//             2. `proposer_`, `votes_` and `unacknowledged_` are within the peers that are
//                connected.
//             3. A waiting master has not joined yet, is in doubt or has its timer set.
//             4. Tokens and fences as membership.hpp says.
// Fairness: none; the master that tries at the right moment wins.
// Cost: 4(n-1) messages (Prepare, Yes, Commit, Ack) and one round trip before the grant without
// contention. Each try in vain costs up to 3(n-1). Prepare carries no value.
// Bounds: state O(masters); one step puts out at most n-1 messages and one timer.
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

// Both double with every failed try, up to 8 and 128 times. Votes over slow links become complete.
// Any number of colliding masters spreads.
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

[[nodiscard]] std::string_view name_of(TwoPhaseKind kind);  // "?" if there is no such kind

// Returns the pause after `tries` failed tries. The same input gives the same pause. No two masters
// have the same input, so colliding masters part.
[[nodiscard]] Duration pause_of(MasterId self, FencingToken highest, std::uint64_t round,
                                std::uint32_t tries);

class TwoPhase {
 public:
  explicit TwoPhase(const MeshView& mesh) : mesh_(mesh), round_(mesh.used_rounds) {}

  void step(const LockEvent& event, TimePoint now, LockActions& out);

  // A peer has to know this as soon as it is connected: our proposal, open or being carried out.
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
  std::uint32_t tries_ = 0;  // failed tries since the last acquire, up to the largest number in use
  bool timer_ = false;       // preparing: until the vote is too late; waiting: until the next try
  // The proposal of another master.
  std::optional<MasterId> proposer_;  // got our Yes, and we do not know its outcome
  std::uint64_t proposal_ = 0;
  // Our last one that was carried out.
  std::uint64_t committed_ = 0;
  std::set<MasterId> unacknowledged_;
};

static_assert(LockMachine<TwoPhase>);

}  // namespace fixkeep::lock
