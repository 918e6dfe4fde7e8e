#include "master/rules/mode.hpp"

#include <array>

#include "master/rules/equal_attribute.hpp"

namespace fixkeep::master {
namespace {

using Rule = void (*)(const Mode&, const Attributes& attributes, GroupKeyDraft&);

// In the order in which they stand in a key.
constexpr std::array<Rule, 2> rules_of_modes{add_equal_attributes, add_bands};

}  // namespace

GroupChoice groups_of(const Mode& mode, const Attributes& attributes,
                      std::vector<AttributeProblem>& problems) {
  GroupKeyDraft draft{mode.name.text(), problems};
  for (const Rule rule : rules_of_modes) rule(mode, attributes, draft);
  return GroupChoice{GroupKey{draft.take()}};
}

GroupKey equal_group_of(const Mode& mode, const Attributes& attributes,
                        std::vector<AttributeProblem>& problems) {
  GroupKeyDraft draft{mode.name.text(), problems};
  add_equal_attributes(mode, attributes, draft);
  return GroupKey{draft.take()};
}

}  // namespace fixkeep::master
