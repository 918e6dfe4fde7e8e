#include "common/lock/mesh/two_phase.hpp"

#include "common/base/random.hpp"
#include "common/lock/mesh/two_phase_rules.hpp"

namespace fixkeep::lock {

std::string_view name_of(TwoPhaseKind kind) {
  switch (kind) {
    case TwoPhaseKind::prepare: return "Prepare";
    case TwoPhaseKind::yes: return "Yes";
    case TwoPhaseKind::no: return "No";
    case TwoPhaseKind::commit: return "Commit";
    case TwoPhaseKind::abort: return "Abort";
    case TwoPhaseKind::acknowledge: return "Ack";
  }
  return "?";
}

Duration pause_of(MasterId self, FencingToken highest, std::uint64_t round, std::uint32_t tries) {
  Random random{(std::uint64_t{self.number()} << 48U) ^ (highest.counter << 16U) ^ round};
  const Duration longest = longest_pause * (1U << tries);
  const auto drawn = random.below(static_cast<std::uint64_t>(longest.count()));
  return Duration{1} + Duration{static_cast<Duration::rep>(drawn)};
}

template class BasicTwoPhase<TwoPhaseRules>;

}  // namespace fixkeep::lock
