// The lock of Suzuki and Kasami: there is one token, and only its owner may enter.
//
// Source: I. Suzuki, T. Kasami, "A Distributed Mutual Exclusion Algorithm", 1985. A master without
// the token sends Request(n) to all. The token names the newest request of each master, and whether
// this request waits. After its own hold, the owner passes the token to the first that waits. An
// owner enters again without a message. An abandoned request stays: its token is passed on.
//
// The published lock loses the token with its owner. Here a master that doubts the token calls a
// ballot: it sends Elect(e) to all. A holder answers after its hold. Any other master answers
// Promise(e): it gives up its token, if it has one, and refuses every token below e from now on.
// The promise says whether its sender waits. A master that has promised a higher ballot answers
// Behind, and the candidate calls a higher one. A candidate that promises a higher ballot gives up
// its own. All promises together are a new token with the number e. Rules:
//
//   1. all answers      A new token needs the promises of all connected peers. A peer that is down
//                       counts as having promised. A peer that is connected during a ballot gets it
//                       in our Hello. Without: 2 holders, 2 masters, 2 steps. If only the peers
//                       that are up promise, a restarted master can get the token before its Hello
//                       arrives here: 2 holders, 3 masters, a crash, 22 steps.
//   2. deferral         A holder promises after its hold. Without: 2 holders, 2 masters, 11 steps.
//   3. promise kept     A token below our promise is refused: it was on its way during the ballot.
//                       Without: 2 holders, 3 masters, 18 steps.
//   4. rounds           A promise for an earlier ballot counts only as a request.
//   5. token ends       A token ends when a peer comes up at its owner: the peer has not promised
//                       it, and the token may know a request of the peer's earlier life. Without: 2
//                       holders without a fence, 2 masters, a broken link, 16 steps.
//   6. doubt            A master without the token doubts it from its start and after each change
//                       of the mesh, until it promises or gets a token, and while the mesh is
//                       split. Then it asks with a ballot: at once, if a token may be on its way to
//                       it. It also calls a ballot for a peer whose Request arrives. A master that
//                       waited in vain, as when the owner has no link to it, asks again with a
//                       ballot.
//   7. lost pass        If the peer goes down to which we passed the token, we ask for the token
//                       for the peers that wait. They may have noticed the death before they asked.
//                       Without: deadlock, 3 masters, a crash, 23 steps.
//   8. candidate asks   A candidate asks for itself, even if it called the ballot for others. If it
//                       gives up, it gets the token later and serves those that relied on it.
//                       Without: deadlock, 3 masters, a crash, 30 steps.
//   9. own request      A master accepts a token only for an open request, once. The owner passes
//                       the token only for a request that came on the present connection. So no
//                       token reaches a later incarnation. A second token ends, and its receiver
//                       asks for a new one.
//  10. new token fence  The value of a new token is uncertain, so its first holder fences. Perhaps
//                       only the candidate knows that the last holder died after its orders.
//  11. join             A master asks only after all peers have sent a Hello or after the grace.
//
// Fault model: masters crash and restart; any delay. These faults never cause two holders. But if a
// link between two live masters breaks or a grace lapses, each side makes its own token. Then the
// lock is NOT exclusive; docs/locks-under-partition.md shows how. `needs_fence` tells all holders,
// or all but one, to fence. A peer that breaks the protocol can make a second token, but makes no
// machine fail: unknown kinds, numbers above the sender's own token and messages from peers that
// are not up are ignored.
//
// Invariants: 1. `epoch_` never falls. It is the number of our token, ballot or last promise.
//             2. `owner_` excludes `open_`, `electing_` and `doubts_`. `electing_` implies `open_`.
//             3. `asks_`, `deferred_` and `promises_` contain only peers that are up.
//             4. If a master waits, there is a token or a ballot, or a master that will call one.
//             5. Tokens and fences follow membership.hpp. The first grant of a new token is above
//                every fencing token that a promiser knows.
// Fairness: the order in which owners receive the requests. A ballot forgets this order.
// Cost: 0 messages if the token is here, otherwise n. A ballot takes 2(n-1) messages: the first
// hold of a key, and after a change of the mesh. Delay: one message. There is no timer.
// Bounds: state O(masters); one step sends at most 2(n-1) messages.
// Thread rule: a value, one owner. Errors: none.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "lock/core/lock_machine.hpp"
#include "lock/core/membership.hpp"

namespace fixkeep::lock {

enum class SuzukiKasamiKind : std::uint8_t {
  request = 1,
  elect = 2,
  promise = 3,
  behind = 4,
  token = 5,
};

class SuzukiKasami {
 public:
  explicit SuzukiKasami(const MeshView& mesh) : mesh_(mesh), number_(mesh.used_rounds) {}

  void step(const LockEvent& event, TimePoint now, LockActions& out);

  // Returns our ballot, which every newly connected peer has to answer.
  [[nodiscard]] std::optional<LockMessage> hello() const;

  [[nodiscard]] std::string_view state() const;
  [[nodiscard]] bool holding() const { return state_ == State::acquired; }
  // True even with an idle token: a new machine calls a ballot. False while a token may be on its
  // way to us: if it gets lost, we have to call a ballot.
  [[nodiscard]] bool forgettable() const { return state_ == State::idle && !open_ && !electing_; }
  [[nodiscard]] std::uint64_t round() const { return number_; }
  [[nodiscard]] FencingToken highest() const { return mesh_.highest; }
  void raise(std::uint64_t floor) { mesh_.raise(floor); }
  [[nodiscard]] const LockValue& value() const { return mesh_.value; }
  [[nodiscard]] static std::string_view kind_name(std::uint8_t kind);

  friend bool operator==(const SuzukiKasami&, const SuzukiKasami&) = default;
  void append_bytes(std::string& out) const {
    mesh_.append_bytes(out);
    MachineBytes{out}.put(state_, number_, epoch_, owner_, open_, electing_, doubts_, owes_,
                          passed_to_, asks_, deferred_, promises_, turns_);
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

  void ask_if_joined(LockActions& out);
  void ask(LockActions& out);
  void proceed(LockActions& out);

  // --- the token
  void asked(MasterId peer, std::uint64_t number);
  void note(MasterId peer, std::uint64_t number);
  void received(const LockMessage& token, LockActions& out);
  void own(LockActions& out);
  void pass_on(LockActions& out);
  void end_token();

  // --- the ballot
  void call_ballot(LockActions& out);
  void elected(MasterId peer, FencingToken ballot, LockActions& out);
  void answer(MasterId peer, FencingToken ballot, LockActions& out);
  void promised(MasterId peer, const LockMessage& promise);
  [[nodiscard]] bool all_promised() const;
  void make_token(LockActions& out);
  void trust();

  [[nodiscard]] LockMessage message(SuzukiKasamiKind kind, std::uint64_t round,
                                    FencingToken epoch) const;

  Membership mesh_;
  State state_ = State::idle;
  std::uint64_t number_;               // number of our newest request
  FencingToken epoch_;                 // see invariant 1
  bool owner_ = false;                 // the token is here
  bool open_ = false;                  // a token may come for our request, even an abandoned one
  bool electing_ = false;              // our ballot waits for promises
  bool doubts_ = true;                 // we know of no token; true at first
  bool owes_ = false;                  // we have to get the token for peers that wait
  std::optional<MasterId> passed_to_;  // peer that got the token from us; we know of no later owner
  std::map<MasterId, std::uint64_t> asks_;     // newest request of each peer
  std::map<MasterId, FencingToken> deferred_;  // ballots that we answer after our hold
  std::set<MasterId> promises_;                // peers that promised our ballot
  std::vector<LockTurn> turns_;  // requests of our token, or of the one that our ballot makes
};

static_assert(LockMachine<SuzukiKasami>);

}  // namespace fixkeep::lock
