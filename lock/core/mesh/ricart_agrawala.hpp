// The lock of Ricart and Agrawala: an answer is a permission. A deferred answer is the release.
//
// Source: G. Ricart, A. K. Agrawala, "An Optimal Algorithm for Mutual Exclusion in Computer
// Networks", 1981. A master that wants the lock sends Request(t) to all. If a master holds the
// lock, or has requested it with an earlier time, it answers after its own hold. Any other master
// answers immediately. A master that has all answers holds the lock. Times are (clock, MasterId),
// so two times are never equal.
//
// Amended for masters that crash, restart and forget:
//   1. peers       A peer that is down counts as having answered. The Hello of a new connection
//                  repeats the outstanding request.
//   2. rounds      A Reply repeats the time of its Request. A Reply to an abandoned request is
//                  ignored.
//   3. answered    If a peer has answered our request, we defer the peer's own request, even if it
//                  has an earlier time. In that case, the earlier time shows that the peer has
//                  forgotten its answer.
//   4. join        Requests are sent only after all peers have sent a Hello or after the grace has
//                  lapsed.
//
// The strategy `carvalho-roucairol` is this machine with remembered permissions. Source: O.
// Carvalho, G. Roucairol, "On Mutual Exclusion in Computer Networks", 1983. An answer stays valid
// after the hold, until we answer a request of the same peer. So a master asks only the masters
// that have asked it since. Rules:
//   5. given back   Our answer to a peer ends the permission that we have from this peer. Without:
//                   2 holders, 2 masters, 12 steps.
//   6. asks again   A master that waits and answers an earlier request with a permission of this
//                   peer sends its own request after the answer. Otherwise it waits forever.
//   7. link         A permission ends with its connection: the peer may restart and forget it.
//   8. fence        After a hold with a fence, a master asks all peers again. Its request tells
//                   them the fence's token. Otherwise its next orders build on a fence that only
//                   this master knows. A successor could fence with a lower token, and a worker
//                   that has not seen the first fence would accept an order of both.
// Rule 3 has no use here: by rule 5 it is safe to answer a peer that has answered us. Of two
// masters at most one has the other's permission; if none has it, both have to ask. So a peer that
// forgets an idle lock loses only messages.
//
// Fault model: masters crash and restart; any delay. These faults never cause two holders. But if a
// link between two live masters breaks or a grace lapses, each side counts the other side as having
// answered. Then the lock is NOT exclusive; docs/locks-under-partition.md shows how. `needs_fence`
// tells all holders, or all except one holder, to fence. A peer that breaks the protocol can break
// the exclusion, but makes no machine fail. Unknown kinds, other rounds, times above largest_time
// and messages from peers that are not up are ignored.
//
// Invariants: 1. The clock is at or above every time that was seen or used here. The clock begins
//                above all times that the key's earlier machines used. round() is the clock.
//             2. `deferred_` and `answered_` contain only peers that are up. `deferred_` is empty
//                unless we ask or hold.
//             3. Tokens and fences follow membership.hpp. Tokens and values are sent in the Reply:
//                the next holder has a Reply that we sent after our own hold.
// Fairness: in the order of the requests' times; no later request overtakes an earlier request.
// With remembered permissions, a peer that was not asked can overtake us once: it does not know our
// time yet.
// Cost: 2(n-1) messages and one round trip without contention; there is no release message. With
// remembered permissions 2 messages for each peer that has asked since our last hold, so 0 to
// 2(n-1).
// Bounds: state O(masters); one step sends at most n messages. Requests carry no value.
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

enum class Permissions : std::uint8_t { of_one_hold, remembered };

enum class RicartAgrawalaKind : std::uint8_t { request = 1, reply = 2 };

class RicartAgrawala {
 public:
  explicit RicartAgrawala(const MeshView& mesh, Permissions permissions = Permissions::of_one_hold)
      : mesh_(mesh), permissions_(permissions), clock_(mesh.used_rounds) {}

  void step(const LockEvent& event, TimePoint now, LockActions& out);

  // Returns our unanswered request, which every newly connected peer has to know.
  [[nodiscard]] std::optional<LockMessage> hello() const;

  [[nodiscard]] std::string_view state() const {
    constexpr std::array<std::string_view, 4> names{"idle", "waiting", "asking", "acquired"};
    return names[static_cast<std::size_t>(state_)];
  }
  [[nodiscard]] bool holding() const { return state_ == State::acquired; }
  // True even while a peer waits or holds: an idle machine has answered every request, and need not
  // remember the requests.
  [[nodiscard]] bool forgettable() const { return state_ == State::idle; }
  [[nodiscard]] std::uint64_t round() const { return clock_; }
  [[nodiscard]] FencingToken highest() const { return mesh_.highest; }
  void raise(std::uint64_t floor) { mesh_.raise(floor); }
  [[nodiscard]] const LockValue& value() const { return mesh_.value; }
  [[nodiscard]] static std::string_view kind_name(std::uint8_t kind);

  friend bool operator==(const RicartAgrawala&, const RicartAgrawala&) = default;
  void append_bytes(std::string& out) const {
    mesh_.append_bytes(out);
    MachineBytes{out}.put(state_, clock_, time_, deferred_, answered_);
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
  void enter_if_all_answered(LockActions& out);
  void give_up(LockActions& out);
  void ask(MasterId peer, LockActions& out) const;
  void reply(MasterId to, std::uint64_t time, LockActions& out);
  [[nodiscard]] bool defers(MasterId peer, std::uint64_t time) const;

  Membership mesh_;
  Permissions permissions_;
  State state_ = State::idle;
  std::uint64_t clock_;
  std::uint64_t time_ = 0;                      // time of our own request
  std::map<MasterId, std::uint64_t> deferred_;  // requests that we answer after our hold
  std::set<MasterId> answered_;                 // peers whose permission we have
};

static_assert(LockMachine<RicartAgrawala>);

}  // namespace fixkeep::lock
