// Maekawa's lock: a master that has the votes of its whole quorum holds the lock.
//
// Source: Maekawa (1985), with the correction of Sanders (1987). When a better request becomes the
// head of a voter's queue, the voter also sends FAILED to the previous head. Without this rule
// there are deadlocks. A candidate sends REQUEST to a voter. The voter gives its vote with LOCKED.
// If a request of lower priority already has the vote, the voter requests the vote back with
// INQUIRE. A candidate that has received FAILED from any voter returns the vote with RELINQUISH.
// Priority is (Lamport time of the request, MasterId). Every message repeats the time of its
// request: answers to an older request are ignored.
//
// A candidate asks a row and a column of the grid of masters (quorum.hpp), or any majority. Any two
// quorums share a voter, and a voter has one vote. Thus all partitions together have at most one
// holder. The cost is availability. `grid` waits while a member of its quorum is away. `majority`
// survives the loss of fewer than half of the masters. The strategy `tree-quorum` is this machine
// too; its quorums are paths in a tree (tree_quorum.hpp).
//
// These rules ensure that there is only one holder, even if links break and voters crash:
//   - When the link to its candidate breaks, a vote stays with the candidate. The vote is free
//     again after two leases, or earlier if the candidate's next Hello does not claim the vote. A
//     candidate drops the vote as soon as it notices the broken link. A hold ends within one lease.
//   - A voter that has just started has forgotten its vote. It votes again when every configured
//     master has reported its holds in a Hello. If a master does not report, the voter votes again
//     two leases after the grace.
//   - A candidate remembers all voters that have its request or its Hello. At the end of its
//     request or hold it sends RELEASE or WITHDRAW to all of them.
//   - After a vote that ended without RELEASE, the next vote is LOCKED_AFTER_LAPSE. The candidate
//     that gets this vote fences: the previous candidate may have sent an order that no master has
//     learnt of. A machine's first vote is LOCKED_AFTER_LAPSE too: the machine may have forgotten
//     an order.
//
// Fault model: masters crash and restart; links break in any pattern; any delay. Clocks run at
// about the same rate. A live master notices a broken link within one lease. No lock can stop a
// master that pauses for longer than a lease and then acts on old messages. The workers' promises
// refuse that master's order (docs/locks.md, "The fence").
//
// Invariants: 1. A voter's vote is with at most one request.
//             2. In ACQUIRED, every master of the quorum has voted for our request, and we have not
//                released or returned these votes.
//             3. Every candidate in a voter's queue has received FAILED. Exception: the head of the
//                queue while INQUIRE is unanswered.
//             4. Tokens and fences follow membership.hpp.
// Fairness: the order of the requests' times if voters receive the requests in time. A request is
// later than every token that its master knows: a master that few others ask still keeps the time.
// Cost: 3(K-1) messages without contention for a quorum of K: a candidate's own vote needs no
// message.
// Bounds: state O(masters). Thread rule: a value, one owner. Errors: none.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "lock/core/lock_machine.hpp"
#include "lock/core/membership.hpp"
#include "lock/core/mesh/quorum.hpp"

namespace fixkeep::lock {

enum class MaekawaKind : std::uint8_t {
  request = 1,
  locked = 2,
  locked_after_lapse = 3,
  failed = 4,
  inquire = 5,
  relinquish = 6,
  release = 7,
  withdraw = 8,  // a release by a candidate that did not hold
  held = 9,      // part of a Hello: "I hold the lock by this request"
};

class Maekawa {
 public:
  explicit Maekawa(const MeshView& mesh) : Maekawa(mesh, mesh.quorum) {}
  Maekawa(const MeshView& mesh, Quorum kind);  // Quorum::tree: the strategy tree-quorum

  void step(const LockEvent& event, TimePoint now, LockActions& out);
  [[nodiscard]] std::optional<LockMessage> hello() const;

  [[nodiscard]] std::string_view state() const {
    constexpr std::array<std::string_view, 4> names{"idle", "joining", "asking", "acquired"};
    return names[static_cast<std::size_t>(state_)];
  }
  [[nodiscard]] bool holding() const { return state_ == State::acquired; }
  [[nodiscard]] bool forgettable() const {
    // `lapsed_` may be forgotten too: in a new machine `lapsed_` is true.
    return state_ == State::none && !vote_ && queue_.empty() && votes_from_ == never;
  }
  [[nodiscard]] std::uint64_t round() const { return clock_; }
  [[nodiscard]] FencingToken highest() const { return mesh_.highest; }
  void raise(std::uint64_t floor) { mesh_.raise(floor); }
  [[nodiscard]] const LockValue& value() const { return mesh_.value; }
  [[nodiscard]] static std::string_view kind_name(std::uint8_t kind);

  friend bool operator==(const Maekawa&, const Maekawa&) = default;
  void append_bytes(std::string& out) const;

 private:
  enum class State : std::uint8_t { none, joining, asking, acquired };
  using Request = std::pair<std::uint64_t, MasterId>;  // the lower request has priority
  static constexpr TimePoint never = TimePoint::max();

  void on(const Acquire&, TimePoint now, LockActions& out);
  void on(const Abandon&, TimePoint now, LockActions& out);
  void on(const Release& release, TimePoint now, LockActions& out);
  void on(const Receive& receive, TimePoint now, LockActions& out);
  void on(const PeerConnected& connected, TimePoint now, LockActions& out);
  void on(const PeerUp& up, TimePoint now, LockActions& out);
  void on(const PeerDown& down, TimePoint now, LockActions& out);
  void on(const JoinGraceLapsed& lapsed, TimePoint now, LockActions& out);
  void on(const MastersListed& listed, TimePoint now, LockActions& out);
  void on(const Tick&, TimePoint now, LockActions& out);
  void handle(MasterId from, MaekawaKind kind, std::uint64_t time, LockActions& out);

  // --- the candidate
  void ask_if_joined(LockActions& out);
  void ask_voters(LockActions& out);
  void locked_by(MasterId voter, bool after_lapse, LockActions& out);
  void inquired_by(MasterId voter, LockActions& out);
  void failed_by(MasterId voter, LockActions& out);
  void give_up(MaekawaKind how, LockActions& out);
  [[nodiscard]] Electorate electorate() const;

  // --- the voter
  void requested(const Request& request, LockActions& out);
  void released(const Request& request, bool held, LockActions& out);
  void relinquished(const Request& request, LockActions& out);
  void heard_of(MasterId peer, const std::optional<LockMessage>& hello, LockActions& out);
  void vote_for_the_first(LockActions& out);
  void send_vote(LockActions& out);
  void vote_ends(bool cleanly);

  void send(MasterId to, MaekawaKind kind, std::uint64_t time, LockActions& out);

  Membership mesh_;
  Quorum kind_;
  Duration patience_;  // two leases
  std::uint64_t clock_;

  State state_ = State::none;
  std::uint64_t time_ = 0;        // time of our request
  std::set<MasterId> told_;       // masters that may have queued our request or voted for it
  std::set<MasterId> voted_;      // masters that voted for us
  std::set<MasterId> refused_;    // masters that sent FAILED or have their vote back
  std::set<MasterId> want_back_;  // masters that sent INQUIRE and have no answer yet
  bool after_lapse_ = false;      // a voter sent LOCKED_AFTER_LAPSE

  bool remembers_;  // we know which master has our vote; true at votes_from_ at the latest
  std::optional<Request> vote_;
  bool inquired_ = false;  // we have sent INQUIRE for our vote
  std::set<Request> queue_;
  bool lapsed_ = true;             // true from our start or a lost vote until the next RELEASE
  TimePoint vote_lapses_ = never;  // time when the vote lapses, if its candidate stays away
  TimePoint votes_from_ = never;
  TimePoint timer_ = never;  // time of the last SetTimer

  std::deque<std::pair<MaekawaKind, std::uint64_t>> to_self_;  // empty between steps
};

static_assert(LockMachine<Maekawa>);

}  // namespace fixkeep::lock
