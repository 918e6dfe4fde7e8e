// The rules for the exclusion of a mesh lock, beside its textbook's core. All of them always hold.
// Only the model checker and the scenarios drop one, to show its purpose (docs/locks.md, "The
// amendments" and "The others").
//
// A machine has them from its MeshView and for its whole life. A rule of several locks has one
// name. Thread rule: a value.
#pragma once

namespace fixkeep::lock {

struct Rules {
  // --- all locks Nothing is acquired before every master was heard of or the grace has lapsed.
  // Otherwise a master that boots alone believes that it is the only one.
  bool hello = true;
  // Every grant while the mesh is split says that a fence is needed. Otherwise both sides hold
  // without one as soon as each has fenced once.
  bool split_fence = true;

  // --- multiphase, ricart-agrawala
  // An answer counts for the round of its question only. Otherwise it outlives its question.
  bool rounds = true;

  // --- multiphase
  // A lurker asks when no master asks, not at the first LockReset. Otherwise it asks beside a
  // master that has its grant and still asks.
  bool gated_reset = true;

  // --- lamport
  bool all_answers = true;  // every peer must answer; otherwise a request under way is missed
  bool first = true;        // only the first of the queue enters; otherwise others enter beside it
  // A holder answers a request earlier than its own when it is done. Otherwise a restarted master
  // without a time walks in.
  bool late_answer = true;

  // --- ricart-agrawala
  bool deferral = true;  // answers wait while we hold or asked earlier; nothing else excludes

  // --- two-phase, maekawa
  bool one_vote = true;  // one vote at a time; otherwise two candidates can have all votes

  // --- maekawa
  bool vote_kept = true;     // a vote survives its broken link: the candidate may hold by it
  bool restart_wait = true;  // a voter that has forgotten its vote has none for now

  // --- coordinator
  bool lease_wait = true;       // a new coordinator waits: another one's holder may be alive
  bool own_coordinator = true;  // only the own coordinator's grant counts; two may be on their way

  friend bool operator==(const Rules&, const Rules&) = default;
};

}  // namespace fixkeep::lock
