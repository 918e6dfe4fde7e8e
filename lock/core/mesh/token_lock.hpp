// TokenLock is the part that the locks with a token share: only the owner of the token may enter. A
// ballot makes a lost token anew. A Route says how requests reach the owner, and passes the token.
//
// A master that doubts whether a token exists calls a ballot: it sends Elect(e) to all. A holder
// answers after its hold. Any other master answers Promise(e): it gives up its token, if it has the
// token, and refuses every token below e from now on. The promise says whether its sender waits. A
// master that has promised a higher ballot answers Behind, and the candidate then calls a higher
// ballot. A candidate that promises a higher ballot gives up its own ballot. All promises together
// make a new token with the number e. Rules ("Without" names the error that appears if the rule is
// left out, and the shortest schedule of suzuki-kasami):
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
//                       earlier run. The token also ends if its owner wants to hold again after a
//                       hold with a fence: the ballot tells all peers the fence's token. Otherwise
//                       the next orders build on a fence that only this master knows, and a
//                       successor could fence with a lower token. Rule 9 does not apply to this
//                       ballot, because its candidate knows the last holder's orders. Without: 2
//                       holders without a fence, 2 masters, a broken link, 16 steps.
//   6. doubt            A master without the token is in doubt from its start and after each change
//                       of the mesh, until it promises or gets a token. While the mesh is split,
//                       each of its requests puts it in doubt. A master in doubt calls a ballot
//                       instead of sending Request. If its request is already open when the doubt
//                       begins, it calls the ballot immediately. It also calls a ballot for a peer
//                       whose Request arrives. If a master has waited in vain (for example, the
//                       owner has no link to it), it calls a ballot when it asks again.
//   7. candidate asks   A candidate also asks for itself, even if it called the ballot for other
//                       masters. If it gives up its ballot, it gets the token later and serves the
//                       masters that relied on it. Without: deadlock, 3 masters, a crash, 30 steps.
//   8. own request      A master accepts a token only for an open request, and only one token for
//                       each request. If a second token arrives, this token ends, and its receiver
//                       asks for a new token.
//   9. new token fence  The value of a new token is uncertain, so its first holder fences. Possibly
//                       only the candidate knows that the last holder died after it had sent
//                       orders.
//  10. join             A master asks only after all peers have sent a Hello, or after the grace
//                       has lapsed.
//
// Fault model: masters crash and restart; any delay. These faults never cause two holders. But if a
// link between two live masters breaks or a grace lapses, each side makes its own token. Then the
// lock is NOT exclusive; docs/locks-under-partition.md shows how. `needs_fence` tells all holders,
// or all except one holder, to fence. A peer that breaks the protocol can make a second token, but
// makes no machine fail: unknown kinds, numbers above the sender's own token and messages from
// peers that are not up are ignored.
//
// Invariants: 1. `epoch` never falls. It is the number of our token, ballot or last promise.
//             2. `owner` excludes `open`, `electing` and `doubts`. `electing` implies `open`.
//             3. `deferred_` and `promises_` contain only peers that are up.
//             4. If a master waits, there is a token or a ballot, or a master that is going to call
//                a ballot.
//             5. Tokens and fences follow membership.hpp. The first grant of a new token is above
//                every fencing token that a promiser knows.
// Cost of a ballot: 2(n-1) messages. Thread rule: a value, one owner. Errors: none. Bounds: state
// O(masters).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "lock/core/lock_machine.hpp"
#include "lock/core/membership.hpp"

namespace fixkeep::lock {

enum class TokenKind : std::uint8_t {
  request = 1,
  elect = 2,
  promise = 3,
  behind = 4,
  token = 5,
};

// TokenState is a master's knowledge of the token.
struct TokenState {
  explicit TokenState(const MeshView& view) : mesh(view), number(view.used_rounds) {}

  // Promises and tokens carry the lock value.
  [[nodiscard]] LockMessage message(TokenKind kind, std::uint64_t round, FencingToken ballot) const;

  friend bool operator==(const TokenState&, const TokenState&) = default;
  void append_bytes(std::string& out) const {
    mesh.append_bytes(out);
    MachineBytes{out}.put(number, epoch, owner, open, electing, doubts, owes, fenced, certain);
  }

  Membership mesh;
  std::uint64_t number;   // number of our newest request
  FencingToken epoch;     // see invariant 1
  bool owner = false;     // the token is here
  bool open = false;      // a token may come for our request, even an abandoned one
  bool electing = false;  // our ballot waits for promises
  bool doubts = true;     // we know of no token; true at first
  bool owes = false;      // we have to get the token for peers that wait
  bool fenced = false;    // we had a hold with a fence since the token came to us
  bool certain = false;   // our ballot replaces our own token: its value is certain
};

// A Route is a value with the functions that TokenLock calls in token_lock.cpp.
template <class Route>
class TokenLock {
 public:
  explicit TokenLock(const MeshView& mesh) : token_(mesh) {}

  void step(const LockEvent& event, TimePoint now, LockActions& out);

  // Returns our ballot, which every newly connected peer has to answer.
  [[nodiscard]] std::optional<LockMessage> hello() const;

  [[nodiscard]] std::string_view state() const;
  [[nodiscard]] bool holding() const { return state_ == State::acquired; }
  // True even with an idle token: a new machine calls a ballot. False while a token may be on its
  // way to us: if it gets lost, we have to call a ballot.
  [[nodiscard]] bool forgettable() const {
    return state_ == State::idle && !token_.open && !token_.electing;
  }
  [[nodiscard]] std::uint64_t round() const { return token_.number; }
  [[nodiscard]] FencingToken highest() const { return token_.mesh.highest; }
  void raise(std::uint64_t floor) { token_.mesh.raise(floor); }
  [[nodiscard]] const LockValue& value() const { return token_.mesh.value; }
  [[nodiscard]] static std::string_view kind_name(std::uint8_t kind);

  friend bool operator==(const TokenLock&, const TokenLock&) = default;
  void append_bytes(std::string& out) const {
    token_.append_bytes(out);
    MachineBytes{out}.put(state_, deferred_, promises_);
    route_.append_bytes(out);
  }

 private:
  enum class State : std::uint8_t { idle, waiting, asking, acquired };

  void on(const Acquire&, LockActions& out);
  void on(const Abandon&, LockActions& out);
  void on(const Release& release, LockActions& out);
  void on(const Receive& receive, LockActions& out);
  void on(const PeerConnected& connected, LockActions&) { token_.mesh.on(connected); }
  void on(const PeerUp& up, LockActions& out);
  void on(const PeerDown& down, LockActions& out);
  void on(const JoinGraceLapsed& lapsed, LockActions& out);
  void on(const MastersListed& listed, LockActions& out);
  void on(const Tick&, LockActions&) {}

  void ask_if_joined(LockActions& out);
  void ask(LockActions& out);
  void proceed(LockActions& out);
  void ask_for_peers(LockActions& out);

  // --- the token
  void received(const LockMessage& token, LockActions& out);
  void own(bool fresh, LockActions& out);

  // --- the ballot
  void call_ballot(LockActions& out);
  void elected(MasterId peer, const LockMessage& elect, LockActions& out);
  void answer(MasterId peer, FencingToken ballot, LockActions& out);
  void promised(MasterId peer, const LockMessage& promise, LockActions& out);
  [[nodiscard]] bool all_promised() const;
  void make_token(LockActions& out);
  void trust();

  TokenState token_;
  State state_ = State::idle;
  std::map<MasterId, FencingToken> deferred_;  // ballots that we answer after our hold
  std::set<MasterId> promises_;                // peers that promised our ballot
  Route route_;
};

}  // namespace fixkeep::lock
