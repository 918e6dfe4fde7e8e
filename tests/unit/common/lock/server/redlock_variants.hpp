// The production machine, and machines that lack one check each, chosen at run time. Only tests
// have this choice: the production machine carries no switches.
// Thread rule: values.
#pragma once

#include <cstdint>
#include <variant>

#include "common/lock/server/redlock_machine.hpp"

namespace fixkeep::lock {

struct NoOwnerCheck : AllChecks {
  static constexpr bool owner = false;
};
struct NoValidityCheck : AllChecks {
  static constexpr bool validity = false;
};
extern template class BasicRedlock<NoOwnerCheck>;
extern template class BasicRedlock<NoValidityCheck>;

enum class Variant : std::uint8_t { production, no_owner_check, no_validity_check };

using AnyRedlock =
    std::variant<RedlockMachine, BasicRedlock<NoOwnerCheck>, BasicRedlock<NoValidityCheck>>;

[[nodiscard]] inline AnyRedlock make_variant(Variant variant, const RedlockOptions& options,
                                             ServerSet up) {
  switch (variant) {
    case Variant::production: return RedlockMachine{options, up};
    case Variant::no_owner_check: return BasicRedlock<NoOwnerCheck>{options, up};
    case Variant::no_validity_check: return BasicRedlock<NoValidityCheck>{options, up};
  }
  return RedlockMachine{options, up};
}

}  // namespace fixkeep::lock
