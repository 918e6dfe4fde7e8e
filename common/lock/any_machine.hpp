// The mesh strategies by their names in the configuration (lock.strategy).
//
// A new strategy is a file pair of its own that models LockMachine, one more alternative of
// AnyMachine, and one more line each in `strategies` and make_machine(). A variant rather than a
// virtual interface: machines stay regular values, and a table of many keys stays one allocation.
// Thread rule: values and free functions without state.
#pragma once

#include <array>
#include <string_view>
#include <variant>

#include "common/lock/lock_machine.hpp"
#include "common/lock/multiphase.hpp"
#include "common/lock/none.hpp"

namespace fixkeep::lock {

using AnyMachine = std::variant<Multiphase, NoLock>;

inline constexpr std::array<std::string_view, 2> strategies{"multiphase", "none"};

// REQUIRES: `strategy` is one of `strategies`.
[[nodiscard]] AnyMachine make_machine(std::string_view strategy, const MeshView& mesh);

}  // namespace fixkeep::lock
