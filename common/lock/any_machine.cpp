#include "common/lock/any_machine.hpp"

#include "common/base/assert.hpp"

namespace fixkeep::lock {

AnyMachine make_machine(std::string_view strategy, const MeshView& mesh) {
  if (strategy == "none") return NoLock{mesh};
  FIXKEEP_ASSERT(strategy == "multiphase", strategy);
  return Multiphase{mesh};
}

}  // namespace fixkeep::lock
