// The machine of every strategy.
//
// A new strategy of the mesh is a file pair of its own that models LockMachine, one more
// alternative of AnyMachine, and one more line each in lock_strategies.hpp and make_machine().
// Machines are a variant, not a virtual interface: they stay regular values. A table of many keys
// stays one allocation. Thread rule: values and free functions without state.
#pragma once

#include <string_view>
#include <variant>

#include "lock/core/lock_machine.hpp"
#include "lock/core/mesh/coordinator.hpp"
#include "lock/core/mesh/lamport.hpp"
#include "lock/core/mesh/maekawa.hpp"
#include "lock/core/mesh/multiphase.hpp"
#include "lock/core/mesh/none.hpp"
#include "lock/core/mesh/ricart_agrawala.hpp"
#include "lock/core/mesh/two_phase.hpp"
#include "lock/core/server/remote.hpp"

namespace fixkeep::lock {

using AnyMachine = std::variant<Multiphase,      //
                                Lamport,         //
                                RicartAgrawala,  //
                                Maekawa,         //
                                Coordinator,     //
                                TwoPhase,        //
                                NoLock, Remote>;

// REQUIRES: `strategy` is the name of one of `strategies`.
[[nodiscard]] AnyMachine make_machine(std::string_view strategy, const MeshView& mesh);

}  // namespace fixkeep::lock
