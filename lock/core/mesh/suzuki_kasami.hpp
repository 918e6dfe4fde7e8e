// The lock of Suzuki and Kasami: there is one token, and only its owner may enter.
//
// Source: I. Suzuki, T. Kasami, "A Distributed Mutual Exclusion Algorithm", 1985. A master without
// the token sends Request(n) to all. The token contains the newest request of each master, and says
// whether this request waits. After its own hold, the owner passes the token to the first master
// that waits. An owner can enter again without a message. An abandoned request remains open: if the
// token comes for it, the token is passed on.
//
// In the published lock, the token is lost if its owner dies. Here a master that doubts whether a
// token exists calls a ballot: it sends Elect(e) to all. A holder answers after its hold. Any other
// master answers Promise(e): it gives up its token, if it has the token, and refuses every token
// below e from now on. The promise says whether its sender waits. A master that has promised a
// higher ballot answers Behind, and the candidate then calls a higher ballot. A candidate that
// promises a higher ballot gives up its own ballot. All promises together make a new token with the
// number e. Rules ("Without" names the error that appears if the rule is left out):
//
//   1. all answers      A new token needs the promises of all connected peers. A peer that is down
//                       counts as having promised. If a peer connects during a ballot, our Hello
//                       contains the ballot. Without: 2 holders, 2 masters, 2 steps. If only the
//                       peers that are up had to promise, a restarted master could get the token
//                       before its Hello arrives here: 2 holders, 3 masters, a crash, 22 steps.
//   2. deferral         A holder promises after its hold. Without: 2 holders, 2 masters, 11 steps.
//   3. promise kept     A token below our promise is refused: it was on its way during the ballot.
//                       Without: 2 holders, 3 masters, 18 steps.
//   4. rounds           A promise for an earlier ballot counts only as a request.
//   5. token ends       If a peer comes up at the token's owner, the token ends. The peer has not
//                       promised this token, and the token may contain a request from the peer's
//                       earlier run. Without: 2 holders without a fence, 2 masters, a broken link,
//                       16 steps.
//   6. doubt            A master without the token is in doubt from its start and after each change
//                       of the mesh, until it promises or gets a token. While the mesh is split,
//                       each of its requests puts it in doubt. A master in doubt calls a ballot
//                       instead of sending Request. If its request is already open when the doubt
//                       begins, it calls the ballot immediately. It also calls a ballot for a peer
//                       whose Request arrives. If a master has waited in vain (for example, the
//                       owner has no link to it), it calls a ballot when it asks again.
//   7. lost pass        If we passed the token to a peer and this peer goes down, we ask for the
//                       token on behalf of the peers that wait. They may have noticed the death
//                       before they asked. Without: deadlock, 3 masters, a crash, 23 steps.
//   8. candidate asks   A candidate also asks for itself, even if it called the ballot for other
//                       masters. If it gives up its ballot, it gets the token later and serves the
//                       masters that relied on it. Without: deadlock, 3 masters, a crash, 30 steps.
//   9. own request      A master accepts a token only for an open request, and only one token for
//                       each request. The owner passes the token only for a request that came on
//                       the present connection. A token thus never reaches a later run of the
//                       master. If a second token arrives, this token ends, and its receiver asks
//                       for a new token.
//  10. new token fence  The value of a new token is uncertain, so its first holder fences. Possibly
//                       only the candidate knows that the last holder died after it had sent
//                       orders.
//  11. join             A master asks only after all peers have sent a Hello, or after the grace
//                       has lapsed.
//
// Fault model: masters crash and restart; any delay. These faults never cause two holders. But if a
// link between two live masters breaks or a grace lapses, each side makes its own token. Then the
// lock is NOT exclusive; docs/locks-under-partition.md shows how. `needs_fence` tells all holders,
// or all except one holder, to fence. A peer that breaks the protocol can make a second token, but
// makes no machine fail: unknown kinds, numbers above the sender's own token and messages from
// peers that are not up are ignored.
//
// Invariants: 1. `epoch_` never falls. It is the number of our token, ballot or last promise.
//             2. `owner_` excludes `open_`, `electing_` and `doubts_`. `electing_` implies `open_`.
//             3. `asks_`, `deferred_` and `promises_` contain only peers that are up.
//             4. If a master waits, there is a token or a ballot, or a master that is going to call
//                a ballot.
//             5. Tokens and fences follow membership.hpp. The first grant of a new token is above
//                every fencing token that a promiser knows.
// Fairness: the order in which owners receive the requests. A ballot forgets this order.
// Cost: 0 messages if the token is here, otherwise n. A ballot takes 2(n-1) messages. The first
// hold of a key, and the first hold after a change of the mesh, need a ballot. Delay: one message.
// There is no timer.
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
  // True even if we own an idle token, because a new machine calls a ballot. False while a token
  // may be on its way to us: if this token is lost, we have to call a ballot.
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
  std::uint64_t number_;   // number of our newest request
  FencingToken epoch_;     // see invariant 1
  bool owner_ = false;     // the token is here
  bool open_ = false;      // a token may come for our request, even if we have abandoned it
  bool electing_ = false;  // our ballot waits for promises
  bool doubts_ = true;     // we know of no token; true at first
  bool owes_ = false;      // we have to get the token for peers that wait
  std::optional<MasterId> passed_to_;  // peer that got the token from us; we know of no later owner
  std::map<MasterId, std::uint64_t> asks_;     // newest request of each peer
  std::map<MasterId, FencingToken> deferred_;  // ballots that we answer after our hold
  std::set<MasterId> promises_;                // peers that promised our ballot
  std::vector<LockTurn> turns_;  // requests in our token, or in the token that our ballot makes
};

static_assert(LockMachine<SuzukiKasami>);

}  // namespace fixkeep::lock
