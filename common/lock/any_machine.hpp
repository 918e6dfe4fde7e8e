// The machine of every strategy.
//
// A new strategy of the mesh is a file pair of its own that models LockMachine, one more
// alternative of AnyMachine, and one more line each in lock_strategies.hpp and make_machine(). A
// variant rather than a virtual interface: machines stay regular values, and a table of many keys
// stays one allocation. Thread rule: values and free functions without state.
#pragma once

#include <string_view>
#include <variant>

#include "common/lock/lock_machine.hpp"
#include "common/lock/mesh/coordinator.hpp"
#include "common/lock/mesh/lamport.hpp"
#include "common/lock/mesh/maekawa.hpp"
#include "common/lock/mesh/multiphase.hpp"
#include "common/lock/mesh/none.hpp"
#include "common/lock/mesh/ricart_agrawala.hpp"
#include "common/lock/mesh/two_phase.hpp"
#include "common/lock/server/remote.hpp"

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
