#include "master/rules/mode.hpp"

#include <array>

#include "master/rules/equal_attribute.hpp"

namespace fixkeep::master {
namespace {

using Rule = void (*)(const Mode&, const Attributes& attributes, GroupKeyDraft&);

// The rules in the order of their parts in a key.
constexpr std::array<Rule, 2> rules_of_modes{add_equal_attributes, add_bands};

}  // namespace

GroupKey group_of(const Mode& mode, const Attributes& attributes,
                  std::vector<AttributeProblem>& problems) {
  GroupKeyDraft draft{mode.name.text(), problems};
  for (const Rule rule : rules_of_modes) rule(mode, attributes, draft);
  return GroupKey{draft.take()};
}

GroupKey equal_group_of(const Mode& mode, const Attributes& attributes,
                        std::vector<AttributeProblem>& problems) {
  GroupKeyDraft draft{mode.name.text(), problems};
  add_equal_attributes(mode, attributes, draft);
  return GroupKey{draft.take()};
}

plan::Brings numbers_of(const Mode& mode, const Attributes& attributes,
                        std::vector<AttributeProblem>& problems) {
  GroupKeyDraft draft{mode.name.text(), problems};
  plan::Brings brings;
  for (std::size_t n = 0; n < mode.rules->numbers.size(); ++n) {
    const std::string& name = mode.rules->numbers[n];
    const PlainValue* found = attributes.find(name);
    const auto number = found == nullptr ? std::nullopt : whole_number_of(*found);
    if (found == nullptr) {
      draft.miss(name);
    } else if (!number || *number > plan::number_most || *number < -plan::number_most) {
      draft.refuse(name, "must be a number of at most " + std::to_string(plan::number_most) +
                             ", without quotes");
    } else {
      brings.numbers.at(n) = *number;
    }
  }
  return brings;
}

}  // namespace fixkeep::master
