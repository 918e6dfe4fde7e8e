#include "master/rules/band.hpp"

#include <algorithm>

#include "master/rules/mode.hpp"

namespace fixkeep::master {
std::string band_name(const Band& band, std::int64_t value) {
  const auto above = std::upper_bound(band.edges.begin(), band.edges.end(), value);
  if (above == band.edges.begin()) return "lt" + std::to_string(band.edges.front());
  if (above == band.edges.end()) return "ge" + std::to_string(band.edges.back());
  return std::to_string(*(above - 1)) + "-" + std::to_string(*above - 1);
}

void add_bands(const Mode& mode, const Attributes& attributes, GroupKeyDraft& draft) {
  for (const auto& band : mode.bands) {
    const PlainValue* found = attributes.find(band.attribute);
    if (found == nullptr) {
      draft.miss(band.attribute);
    } else if (const auto number = whole_number_of(*found)) {
      draft.add(band.attribute, band_name(band, *number));
    } else {
      draft.refuse(band.attribute, "must be a number");
    }
  }
}

}  // namespace fixkeep::master
