#include "common/lock/any_machine.hpp"

#include "common/base/assert.hpp"
#include "common/lock/strategies.hpp"

namespace fixkeep::lock {

AnyMachine make_machine(std::string_view strategy, const MeshView& mesh) {
  const auto* found = find_strategy(strategy);
  FIXKEEP_ASSERT(found != nullptr, strategy);
  switch (found->family) {
    case Family::none: return NoLock{mesh};
    case Family::engine: return Remote{mesh};
    case Family::mesh: break;
  }
  if (strategy == "coordinator") return Coordinator{mesh};
  FIXKEEP_ASSERT(strategy == "multiphase", strategy);
  return Multiphase{mesh};
}

}  // namespace fixkeep::lock
