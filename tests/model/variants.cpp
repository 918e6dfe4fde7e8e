#include "tests/model/variants.hpp"

#include "common/lock/mesh/coordinator_rules.hpp"
#include "common/lock/mesh/lamport_rules.hpp"
#include "common/lock/mesh/maekawa_rules.hpp"
#include "common/lock/mesh/multiphase_bytes.hpp"
#include "common/lock/mesh/multiphase_rules.hpp"
#include "common/lock/mesh/ricart_agrawala_rules.hpp"
#include "common/lock/mesh/two_phase_rules.hpp"

namespace fixkeep::lock {

template class BasicMultiphase<model::NoRounds>;
template class BasicMultiphase<model::NoGatedReset>;
template class BasicMultiphase<model::NoJoin>;
template class BasicMultiphase<model::NoSplitFence>;
template class BasicLamport<model::NotAllAnswers>;
template class BasicLamport<model::NotFirst>;
template class BasicLamport<model::NoLateAnswer>;
template class BasicRicartAgrawala<model::NoDeferral>;
template class BasicRicartAgrawala<model::NoEcho>;
template class BasicTwoPhase<model::ManyVotes>;

template class BasicCoordinator<model::NoLeaseWait>;
template class BasicCoordinator<model::AnyonesGrant>;
template class BasicCoordinator<model::StaleUnfenced>;
template class BasicMaekawa<model::TwoVotes>;
template class BasicMaekawa<model::TakesVoteBack>;
template class BasicMaekawa<model::VotesAfterRestart>;

}  // namespace fixkeep::lock

namespace fixkeep::model {

AnyVariant make_variant(Variant variant, const lock::MeshView& mesh) {
  switch (variant) {
    case Variant::production: return lock::Multiphase{mesh};
    case Variant::no_rounds: return lock::BasicMultiphase<NoRounds>{mesh};
    case Variant::no_gated_reset: return lock::BasicMultiphase<NoGatedReset>{mesh};
    case Variant::no_join: return lock::BasicMultiphase<NoJoin>{mesh};
    case Variant::no_split_fence: return lock::BasicMultiphase<NoSplitFence>{mesh};
    case Variant::coordinator: return lock::Coordinator{mesh};
    case Variant::coordinator_no_lease_wait: return lock::BasicCoordinator<NoLeaseWait>{mesh};
    case Variant::coordinator_anyones_grant: return lock::BasicCoordinator<AnyonesGrant>{mesh};
    case Variant::coordinator_unfenced: return lock::BasicCoordinator<StaleUnfenced>{mesh};
    case Variant::maekawa: return lock::Maekawa{mesh};
    case Variant::maekawa_two_votes: return lock::BasicMaekawa<TwoVotes>{mesh};
    case Variant::maekawa_takes_vote_back: return lock::BasicMaekawa<TakesVoteBack>{mesh};
    case Variant::maekawa_votes_after_restart: return lock::BasicMaekawa<VotesAfterRestart>{mesh};
    case Variant::lamport: return lock::Lamport{mesh};
    case Variant::lamport_not_all_answers: return lock::BasicLamport<NotAllAnswers>{mesh};
    case Variant::lamport_not_first: return lock::BasicLamport<NotFirst>{mesh};
    case Variant::lamport_no_late_answer: return lock::BasicLamport<NoLateAnswer>{mesh};
    case Variant::ricart_agrawala: return lock::RicartAgrawala{mesh};
    case Variant::ricart_agrawala_no_deferral: return lock::BasicRicartAgrawala<NoDeferral>{mesh};
    case Variant::ricart_agrawala_no_rounds: return lock::BasicRicartAgrawala<NoEcho>{mesh};
    case Variant::two_phase: return lock::TwoPhase{mesh};
    case Variant::two_phase_many_votes: return lock::BasicTwoPhase<ManyVotes>{mesh};
  }
  return lock::Multiphase{mesh};
}

}  // namespace fixkeep::model
