#include "lock/core/any_machine.hpp"

#include "common/base/assert.hpp"
#include "common/base/lock_strategies.hpp"

namespace fixkeep::lock {

AnyMachine make_machine(std::string_view strategy, const MeshView& mesh) {
  const auto* found = find_strategy(strategy);
  FIXKEEP_ASSERT(found != nullptr, strategy);
  switch (found->family) {
    case Family::none: return NoLock{mesh};
    case Family::engine: return Remote{mesh};
    case Family::mesh: break;
  }
  if (strategy == "maekawa") return Maekawa{mesh};
  if (strategy == "tree-quorum") return Maekawa{mesh, Quorum::tree};
  if (strategy == "coordinator") return Coordinator{mesh};
  if (strategy == "lamport") return Lamport{mesh};
  if (strategy == "ricart-agrawala") return RicartAgrawala{mesh};
  if (strategy == "carvalho-roucairol") return RicartAgrawala{mesh, Permissions::remembered};
  if (strategy == "suzuki-kasami") return SuzukiKasami{mesh};
  if (strategy == "naimi-trehel") return NaimiTrehel{mesh};
  if (strategy == "raymond") return Raymond{mesh};
  if (strategy == "two-phase") return TwoPhase{mesh};
  FIXKEEP_ASSERT(strategy == "multiphase", strategy);
  return Multiphase{mesh};
}

}  // namespace fixkeep::lock
