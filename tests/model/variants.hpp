// The production machine, and machines that lack one rule each, chosen at run time.
//
// Only tests have this choice: the production machine carries no switches. The third amendment,
// ordered links, is the driver's; whoever plays the driver takes it away by overtaking.
// Thread rule: values.
#pragma once

#include <cstdint>
#include <variant>

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

enum class Variant : std::uint8_t {
  production,
  no_rounds,
  no_gated_reset,
  no_join,
  no_split_fence,
};

using AnyVariant = std::variant<lock::Multiphase, lock::BasicMultiphase<NoRounds>,
                                lock::BasicMultiphase<NoGatedReset>, lock::BasicMultiphase<NoJoin>,
                                lock::BasicMultiphase<NoSplitFence>>;

[[nodiscard]] AnyVariant make_variant(Variant variant, const lock::MeshView& mesh);

}  // namespace fixkeep::model
