#include "tests/model/variants.hpp"

#include "common/lock/coordinator_impl.hpp"
#include "common/lock/multiphase_bytes.hpp"
#include "common/lock/multiphase_impl.hpp"

namespace fixkeep::lock {

template class BasicMultiphase<model::NoRounds>;
template class BasicMultiphase<model::NoGatedReset>;
template class BasicMultiphase<model::NoJoin>;
template class BasicMultiphase<model::NoSplitFence>;

template class BasicCoordinator<model::NoLeaseWait>;
template class BasicCoordinator<model::AnyonesGrant>;
template class BasicCoordinator<model::StaleUnfenced>;

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
  }
  return lock::Multiphase{mesh};
}

}  // namespace fixkeep::model
