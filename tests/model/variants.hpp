// The production machines, and machines that lack one rule each, chosen at run time.
//
// Only tests have this choice: the production machine carries no switches. The third amendment,
// ordered links, is the driver's; whoever plays the driver takes it away by overtaking.
// Thread rule: values.
#pragma once

#include <cstdint>
#include <variant>

#include "common/lock/mesh/coordinator.hpp"
#include "common/lock/mesh/lamport.hpp"
#include "common/lock/mesh/maekawa.hpp"
#include "common/lock/mesh/multiphase.hpp"
#include "common/lock/mesh/ricart_agrawala.hpp"
#include "common/lock/mesh/two_phase.hpp"

namespace fixkeep::model {

struct NoRounds : lock::AllAmendments {
  static constexpr bool rounds = false;
};
struct NoGatedReset : lock::AllAmendments {
  static constexpr bool gated_reset = false;
};
struct NoJoin : lock::AllAmendments {
  static constexpr bool join_first = false;
};
struct NoSplitFence : lock::AllAmendments {
  static constexpr bool fence_while_split = false;
};

struct NotAllAnswers : lock::LamportRules {
  static constexpr bool all_answers = false;
};
struct NotFirst : lock::LamportRules {
  static constexpr bool first = false;
};
struct NoLateAnswer : lock::LamportRules {
  static constexpr bool late_answer = false;
};

struct NoDeferral : lock::RicartAgrawalaRules {
  static constexpr bool deferral = false;
};
struct NoEcho : lock::RicartAgrawalaRules {
  static constexpr bool rounds = false;
};

struct ManyVotes : lock::TwoPhaseRules {
  static constexpr bool one_vote = false;
};

struct NoLeaseWait : lock::AllCoordinatorRules {
  static constexpr bool waits_for_leases = false;
};
struct AnyonesGrant : lock::AllCoordinatorRules {
  static constexpr bool own_coordinator_only = false;
};
struct StaleUnfenced : lock::AllCoordinatorRules {
  static constexpr bool fences = false;
};

struct TwoVotes : lock::AllMaekawaRules {
  static constexpr bool one_vote = false;
};
struct TakesVoteBack : lock::AllMaekawaRules {
  static constexpr bool keeps_vote_when_cut = false;
};
struct VotesAfterRestart : lock::AllMaekawaRules {
  static constexpr bool restarts_without_vote = false;
};

enum class Variant : std::uint8_t {
  production,
  no_rounds,
  no_gated_reset,
  no_join,
  no_split_fence,
  coordinator,
  coordinator_no_lease_wait,
  coordinator_anyones_grant,
  coordinator_unfenced,
  maekawa,
  maekawa_two_votes,
  maekawa_takes_vote_back,
  maekawa_votes_after_restart,
  lamport,
  lamport_not_all_answers,
  lamport_not_first,
  lamport_no_late_answer,
  ricart_agrawala,
  ricart_agrawala_no_deferral,
  ricart_agrawala_no_rounds,
  two_phase,
  two_phase_many_votes,
};

using AnyVariant =
    std::variant<lock::Multiphase, lock::BasicMultiphase<NoRounds>,
                 lock::BasicMultiphase<NoGatedReset>, lock::BasicMultiphase<NoJoin>,
                 lock::BasicMultiphase<NoSplitFence>,  //
                 lock::Lamport, lock::BasicLamport<NotAllAnswers>, lock::BasicLamport<NotFirst>,
                 lock::BasicLamport<NoLateAnswer>,  //
                 lock::RicartAgrawala, lock::BasicRicartAgrawala<NoDeferral>,
                 lock::BasicRicartAgrawala<NoEcho>,               //
                 lock::TwoPhase, lock::BasicTwoPhase<ManyVotes>,  //
                 lock::Coordinator, lock::BasicCoordinator<NoLeaseWait>,
                 lock::BasicCoordinator<AnyonesGrant>, lock::BasicCoordinator<StaleUnfenced>,
                 lock::Maekawa, lock::BasicMaekawa<TwoVotes>, lock::BasicMaekawa<TakesVoteBack>,
                 lock::BasicMaekawa<VotesAfterRestart>>;

[[nodiscard]] AnyVariant make_variant(Variant variant, const lock::MeshView& mesh);

}  // namespace fixkeep::model
