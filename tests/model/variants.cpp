#include "tests/model/variants.hpp"

#include "common/lock/multiphase_bytes.hpp"
#include "common/lock/multiphase_impl.hpp"

namespace fixkeep::lock {

template class BasicMultiphase<model::NoRounds>;
template class BasicMultiphase<model::NoGatedReset>;
template class BasicMultiphase<model::NoJoin>;
template class BasicMultiphase<model::NoSplitFence>;

}  // namespace fixkeep::lock

namespace fixkeep::model {

AnyVariant make_variant(Variant variant, const lock::MeshView& mesh) {
  switch (variant) {
    case Variant::production: return lock::Multiphase{mesh};
    case Variant::no_rounds: return lock::BasicMultiphase<NoRounds>{mesh};
    case Variant::no_gated_reset: return lock::BasicMultiphase<NoGatedReset>{mesh};
    case Variant::no_join: return lock::BasicMultiphase<NoJoin>{mesh};
    case Variant::no_split_fence: return lock::BasicMultiphase<NoSplitFence>{mesh};
  }
  return lock::Multiphase{mesh};
}

}  // namespace fixkeep::model
