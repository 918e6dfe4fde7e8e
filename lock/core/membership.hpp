// The part that all mesh locks share: the masters (configured, connected, up), the key's highest
// token and its newest lock value. It decides when a holder has to fence.
//
// Each machine has a Membership as a member. The machine reports every change to this Membership
// first and calls grant() to grant the lock.
//
// Invariants: 1. All masters in `up` are also in `connected`. After the join `missing` is empty.
//             2. A token granted here is above every token seen here.
//             3. A grant sets `needs_fence` after a start, after a change of the mesh since the
//                last grant, and if the value is uncertain. A grant also sets `needs_fence` while a
//                configured peer is not up or has a different list of masters. If there are two
//                holders, at least one of them is told to fence (docs/locks.md, "The fence"). Tests
//                in tests/model show that a single fence after a change is not enough.
//             4. After a change, a peer's fence replaces ours if we consented to the peer's hold
//                after this change: the peer's fence then began after the change, and the peer's
//                value arrived over an unchanged mesh.
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

  // --- events; the machine calls these functions before it acts on the event
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
  // We do not wait for an added master, because the added master waits for us. Until the added
  // master is up, the mesh counts as split.
  void on(const MastersListed& event) {
    configured = {event.configured.begin(), event.configured.end()};
    std::erase_if(missing, [&](MasterId peer) { return !configured.contains(peer); });
    disputed = event.disputed;
    change();
  }

  // True if every configured peer has sent a Hello since the start, or if the grace has lapsed.
  [[nodiscard]] bool joined() const { return missing.empty() || !rules.hello; }
  [[nodiscard]] bool split() const { return disputed || up.size() < configured.size(); }

  void learn(FencingToken token, const LockValue& seen) {
    // Tokens beyond the largest counter are invalid.
    if (token.counter <= largest_counter) highest = std::max(highest, token);
    if (seen.stamp > value.stamp && seen.stamp.counter <= largest_counter) value = seen;
  }

  // Notes that we grant the peer's request and that the peer cannot hold without this grant. Do not
  // call this function for a request that the peer sent before the peer had our Hello: the peer's
  // hold may be older than the connection.
  void consented(MasterId peer) {
    if (changed) consents[peer] = highest;
  }
  // Takes a value that `peer` itself has sent. The peer's fence replaces ours if the peer wrote the
  // value at the end of a fenced hold to which we had consented.
  void heard_from(MasterId peer, const LockValue& seen) {
    const auto consent = consents.find(peer);
    if (consent == consents.end() || seen.stamp.master != peer) return;
    if (seen.stamp <= consent->second || seen.fence != seen.stamp || seen.uncertain) return;
    changed = false;
    consents.clear();
  }

  // Tokens granted from now on are above the floor.
  void raise(std::uint64_t floor) { highest = std::max(highest, FencingToken{floor, MasterId{}}); }

  // Returns a new token, the newest value and whether the holder has to fence.
  [[nodiscard]] Granted grant() {
    highest = token_after(highest, self);
    const bool apart = rules.split_fence && split();
    Granted granted{highest, value, changed || apart || value.uncertain};
    changed = false;
    consents.clear();
    return granted;
  }

  // Makes a message with the key's highest token and newest value. Requests omit the value to stay
  // small.
  [[nodiscard]] LockMessage message(auto kind, std::uint64_t round, bool with_value = true) const {
    LockMessage made;
    made.kind = static_cast<std::uint8_t>(kind);
    made.round = round;
    made.token = highest;
    if (with_value) made.value = value;
    return made;
  }

  friend bool operator==(const Membership&, const Membership&) = default;
  // Leaves out the list of masters and the rules: they are equal for all keys of a master.
  void append_bytes(std::string& out) const {
    MachineBytes{out}.put(self, missing, connected, up, (disputed ? 2U : 0U) | (changed ? 1U : 0U),
                          highest, value, consents);
  }

  MasterId self;
  std::set<MasterId> configured;  // every other master
  std::set<MasterId> missing;     // masters without a Hello since the start; empty after the grace
  std::set<MasterId> connected;   // peers that have our Hello and receive every later change
  std::set<MasterId> up;          // connected peers whose Hello we have
  bool disputed = false;          // a linked peer has a different list of masters
  Rules rules;
  FencingToken highest;
  LockValue value;
  bool changed = true;  // the mesh changed since the last grant; true at first
  // The peers whose requests we granted since the change, each with the highest token that we knew
  // at that time. A hold that began with our grant has a higher token. Empty unless `changed`.
  std::map<MasterId, FencingToken> consents;

 private:
  void change() {
    changed = true;
    consents.clear();
  }
};

}  // namespace fixkeep::lock
