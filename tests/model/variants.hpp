// The production machine, and machines that lack one rule each, chosen at run time.
//
// Only tests have this choice: the production machine carries no switches. The third amendment,
// ordered links, is the driver's; whoever plays the driver takes it away by overtaking.
// Thread rule: values.
#pragma once

#include <cstdint>
#include <variant>

#include "common/lock/coordinator.hpp"
#include "common/lock/multiphase.hpp"

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

struct NoLeaseWait : lock::AllCoordinatorRules {
  static constexpr bool waits_for_leases = false;
};
struct AnyonesGrant : lock::AllCoordinatorRules {
  static constexpr bool own_coordinator_only = false;
};
struct StaleUnfenced : lock::AllCoordinatorRules {
  static constexpr bool fences = false;
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
};

using AnyVariant =
    std::variant<lock::Multiphase, lock::BasicMultiphase<NoRounds>,
                 lock::BasicMultiphase<NoGatedReset>, lock::BasicMultiphase<NoJoin>,
                 lock::BasicMultiphase<NoSplitFence>, lock::Coordinator,
                 lock::BasicCoordinator<NoLeaseWait>, lock::BasicCoordinator<AnyonesGrant>,
                 lock::BasicCoordinator<StaleUnfenced>>;

[[nodiscard]] AnyVariant make_variant(Variant variant, const lock::MeshView& mesh);

}  // namespace fixkeep::model
