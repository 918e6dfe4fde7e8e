// The common knowledge of every mesh lock. It has the masters (configured, connected, up), the
// highest token and the newest lock value of the key. It says when to fence.
//
// A machine keeps one as a member and tells it of every change first. It asks it when it grants.
//
// Invariants: 1. `up` is within `connected`; `missing` is empty once joined.
//             2. A token granted here is above every token seen here.
//             3. A grant says `needs_fence` after a start, after a change of the mesh since the
//                last grant, and with an uncertain value. It also says so while a configured peer
//                is not up or has another list of masters. At most one of two holders was not told
//                to fence (docs/locks.md, "The fence"). Fencing once after a change is not enough:
//                tests/model shows it.
//             4. A peer's fence takes the place of ours if we too granted it the lock after the
//                change. Then its fence began after the change, and its value came over an
//                unchanged mesh.
// Thread rule: a value, one owner. Bounds: O(masters). Errors: none.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "lock/core/lock_machine.hpp"
#include "lock/core/machine_bytes.hpp"

namespace fixkeep::lock {

struct Membership {
  explicit Membership(const MeshView& mesh)
      : self(mesh.self),
        configured(mesh.configured.begin(), mesh.configured.end()),
        connected(mesh.connected.begin(), mesh.connected.end()),
        up(mesh.up.begin(), mesh.up.end()),
        disputed(mesh.disputed),
        rules(mesh.rules) {
    if (mesh.joined) return;
    missing = configured;
    for (const auto peer : up) missing.erase(peer);
  }

  // --- what happened; to be told before the machine acts on it
  void on(const PeerConnected& event) { connected.insert(event.peer); }
  void on(const PeerUp& event) {
    up.insert(event.peer);
    missing.erase(event.peer);
    change();
    if (event.hello) learn(event.hello->token, event.hello->value);
  }
  void on(const PeerDown& event) {
    connected.erase(event.peer);
    up.erase(event.peer);
    change();
  }
  void on(const JoinGraceLapsed&) { missing.clear(); }
  // A master that comes is not waited for: it waits for us, and until it is up the mesh is split.
  void on(const MastersListed& event) {
    configured = {event.configured.begin(), event.configured.end()};
    std::erase_if(missing, [&](MasterId peer) { return !configured.contains(peer); });
    disputed = event.disputed;
    change();
  }

  // Every configured peer was heard of once since the start, or the grace has lapsed.
  [[nodiscard]] bool joined() const { return missing.empty() || !rules.hello; }
  [[nodiscard]] bool split() const { return disputed || up.size() < configured.size(); }

  void learn(FencingToken token, const LockValue& seen) {
    // A token beyond the largest counter is rubbish.
    if (token.counter <= largest_counter) highest = std::max(highest, token);
    if (seen.stamp > value.stamp && seen.stamp.counter <= largest_counter) value = seen;
  }

  // We grant what the peer asks for, and it does not hold without this answer. A question that it
  // asked before it heard our Hello may belong to a hold that is older than the connection.
  void consented(MasterId peer) {
    if (changed) consents[peer] = highest;
  }
  // The peer's own message brought the value. Its fence counts as ours if it wrote the value at the
  // end of a fenced hold to which we had consented.
  void heard_from(MasterId peer, const LockValue& seen) {
    const auto consent = consents.find(peer);
    if (consent == consents.end() || seen.stamp.master != peer) return;
    if (seen.stamp <= consent->second || seen.fence != seen.stamp || seen.uncertain) return;
    changed = false;
    consents.clear();
  }

  // Tokens granted from now on are above the floor.
  void raise(std::uint64_t floor) { highest = std::max(highest, FencingToken{floor, MasterId{}}); }

  // Gives a new token and the newest value, and says whether to fence.
  [[nodiscard]] Granted grant() {
    highest = token_after(highest, self);
    const bool apart = rules.split_fence && split();
    Granted granted{highest, value, changed || apart || value.uncertain};
    changed = false;
    consents.clear();
    return granted;
  }

  // A message with all that we know of the key; questions go without the value, to stay small.
  template <class Kind>
  [[nodiscard]] LockMessage message(Kind kind, std::uint64_t round, bool with_value = true) const {
    LockMessage made;
    made.kind = static_cast<std::uint8_t>(kind);
    made.round = round;
    made.token = highest;
    if (with_value) made.value = value;
    return made;
  }

  friend bool operator==(const Membership&, const Membership&) = default;
  // Leaves out the list and the rules: all keys of a master have the same.
  void append_bytes(std::string& out) const {
    MachineBytes{out}.put(self, missing, connected, up, (disputed ? 2U : 0U) | (changed ? 1U : 0U),
                          highest, value, consents);
  }

  MasterId self;
  std::set<MasterId> configured;  // every other master
  std::set<MasterId> missing;     // masters not heard of since the start; the grace empties it
  std::set<MasterId> connected;   // they know what we have outstanding, and hear every change
  std::set<MasterId> up;          // connected, and we know its outstanding locks
  bool disputed = false;          // a peer has another list of masters
  Rules rules;
  FencingToken highest;
  LockValue value;
  bool changed = true;  // the mesh, since the last grant; true at the start of a life
  // Peers that we granted a question since the change, and the highest token that we knew then. A
  // hold that began with that grant has a higher token. Empty unless `changed`.
  std::map<MasterId, FencingToken> consents;

 private:
  void change() {
    changed = true;
    consents.clear();
  }
};

}  // namespace fixkeep::lock
