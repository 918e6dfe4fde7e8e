// The lock of Suzuki and Kasami: there is one token, and only its owner may enter.
//
// Source: I. Suzuki, T. Kasami, "A Distributed Mutual Exclusion Algorithm", 1985. A master without
// the token sends Request(n) to all. The token contains the newest request of each master, and says
// whether this request waits. After its own hold, the owner passes the token to the first master
// that waits. An owner can enter again without a message. An abandoned request remains open: if the
// token comes for it, the token is passed on.
//
// In the published lock, the token is lost if its owner dies. Here a ballot makes a new token:
// token_lock.hpp has the rules of the ballot, the fault model and the invariants. Two rules belong
// to this lock alone:
//
//   lost pass           If the peer goes down to which we passed the token, we ask for the token
//                       for the peers that wait. They may have noticed the death before they asked.
//                       Without: deadlock, 3 masters, a crash, 23 steps.
//   present connection  The owner passes the token only for a request that came on the present
//                       connection. So no token reaches a later incarnation.
//
// Invariant: `asks_` contains only peers that are up.
// Fairness: the order in which owners receive the requests. A ballot forgets this order.
// Cost: 0 messages if the token is here, otherwise n. A ballot takes 2(n-1) messages: the first
// hold of a key, and after a hold with a fence or a change of the mesh. Delay: one message. There
// is no timer.
// Bounds: state O(masters); one step sends at most 2(n-1) messages.
// Thread rule: a value, one owner. Errors: none.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lock/core/mesh/token_lock.hpp"

namespace fixkeep::lock {

class RequestToAll {
 public:
  void want(TokenState& token) const { token.doubts = token.doubts || token.open; }
  void ask(const TokenState& token, LockActions& out) const;
  void requested(TokenState& token, MasterId peer, const LockMessage& request, LockActions& out);

  // --- the token
  bool accepts(const TokenState& token, const LockMessage& received);
  void own(const TokenState& token, bool fresh, LockActions& out);
  [[nodiscard]] bool enters(const TokenState&) const { return true; }
  bool pass_on(const TokenState& token, LockActions& out);
  void end(TokenState& token);
  void down(TokenState& token, MasterId peer);

  // --- the ballot
  void elected(const TokenState& token, MasterId peer, const LockMessage& elect);
  void leave(TokenState& token);
  void follow(const TokenState&, MasterId, LockActions&) {}
  void promised(const TokenState& token, const LockTurn& turn);
  void relies(TokenState& token, const LockTurn& turn, FencingToken ballot, LockActions& out);

  friend bool operator==(const RequestToAll&, const RequestToAll&) = default;
  void append_bytes(std::string& out) const { MachineBytes{out}.put(passed_to_, asks_, turns_); }

 private:
  void asked(const TokenState& token, MasterId peer, std::uint64_t number);
  void note(MasterId peer, std::uint64_t number);

  std::optional<MasterId> passed_to_;  // peer that got the token from us; we know of no later owner
  std::map<MasterId, std::uint64_t> asks_;  // newest request of each peer
  std::vector<LockTurn> turns_;  // requests of our token, or of the one that our ballot makes
};

using SuzukiKasami = TokenLock<RequestToAll>;
static_assert(LockMachine<SuzukiKasami>);

}  // namespace fixkeep::lock
