// An AnyMachine holds one machine, of any strategy.
//
// To add a mesh strategy, write a class that models LockMachine. Add it to AnyMachine, to
// lock_strategies.hpp and to make_machine(). AnyMachine is a variant, not a virtual interface, so
// that each machine stays a regular value inside its table's entry. Thread rule: values and free
// functions without state.
#pragma once

#include <string_view>
#include <variant>

#include "lock/core/lock_machine.hpp"
#include "lock/core/mesh/coordinator.hpp"
#include "lock/core/mesh/lamport.hpp"
#include "lock/core/mesh/maekawa.hpp"
#include "lock/core/mesh/multiphase.hpp"
#include "lock/core/mesh/naimi_trehel.hpp"
#include "lock/core/mesh/none.hpp"
#include "lock/core/mesh/raymond.hpp"
#include "lock/core/mesh/ricart_agrawala.hpp"
#include "lock/core/mesh/suzuki_kasami.hpp"
#include "lock/core/mesh/two_phase.hpp"
#include "lock/core/server/remote.hpp"

namespace fixkeep::lock {

using AnyMachine = std::variant<Multiphase,      //
                                Lamport,         //
                                RicartAgrawala,  // ricart-agrawala, carvalho-roucairol
                                SuzukiKasami,    //
                                NaimiTrehel,     //
                                Raymond,         //
                                Maekawa,         // maekawa, tree-quorum
                                Coordinator,     //
                                TwoPhase,        //
                                NoLock, Remote>;

// REQUIRES: `strategy` is a name in lock_strategies.hpp.
[[nodiscard]] AnyMachine make_machine(std::string_view strategy, const MeshView& mesh);

}  // namespace fixkeep::lock
