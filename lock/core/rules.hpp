// Rules that a mesh lock adds to its textbook's algorithm. A master always has all rules on. The
// model checker and the scenarios can turn a rule off, to show its purpose (docs/locks.md, "The
// amendments" and "The mesh locks").
//
// A machine gets its rules from its MeshView and keeps them for its whole life. Several locks may
// use the same rule. Thread rule: a value.
#pragma once

namespace fixkeep::lock {

struct Rules {
  // --- all locks
  // A lock is acquired only after every master has sent a Hello or after the grace has lapsed.
  // Otherwise a master that starts alone believes that there are no others.
  bool hello = true;
  // While the mesh is split, every grant requires a fence. Otherwise both sides can hold without a
  // fence after each side has fenced once.
  bool split_fence = true;

  // --- multiphase, ricart-agrawala, carvalho-roucairol, locks with a token
  // An answer is valid only for the round of its request. Otherwise a late answer counts for a
  // later request.
  bool rounds = true;

  // --- multiphase
  // A lurker asks only when no other master asks, not at the first LockReset. Otherwise it asks
  // while another master still asks and already has the lurker's grant.
  bool gated_reset = true;

  // --- lamport, locks with a token
  bool all_answers = true;  // every peer must answer; otherwise a request or token is missed

  // --- lamport
  bool first = true;  // only the first in the queue enters; otherwise several masters enter
  // A holder answers a request with an earlier time only after the hold. Otherwise a restarted
  // master with a forgotten clock enters during the hold.
  bool late_answer = true;

  // --- ricart-agrawala, carvalho-roucairol, locks with a token
  bool deferral = true;  // our hold or earlier request delays our answer; only this excludes others

  // --- carvalho-roucairol
  bool given_back = true;  // our answer ends the peer's permission; otherwise both have one

  // --- two-phase, maekawa, tree-quorum
  bool one_vote = true;  // one vote at a time; otherwise two candidates can have all votes

  // --- maekawa, tree-quorum
  bool vote_kept = true;     // a vote survives a broken link: its candidate may be the holder
  bool restart_wait = true;  // a voter that forgot its vote must wait before it votes

  // --- tree-quorum
  bool both_paths = true;  // two paths replace a node that is away; one shares no voter with others

  // --- coordinator
  bool lease_wait = true;       // a new coordinator waits: the earlier one's holder may be alive
  bool own_coordinator = true;  // only our coordinator's grant is valid; two grants may arrive

  // --- locks with a token
  bool promise_kept = true;  // a token below our promise is refused; it was on its way
  // suzuki-kasami, naimi-trehel: the token may have died with the peer that got it from us
  bool lost_pass = true;
  // A new token makes its first holder fence. Otherwise a holder that has not noticed the end of
  // the last one misses its orders.
  bool new_token_fence = true;
  bool token_ends = true;  // a token ends when a peer comes up: the peer has not promised it

  friend bool operator==(const Rules&, const Rules&) = default;
};

}  // namespace fixkeep::lock
