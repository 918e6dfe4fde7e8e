#include "master/rules/band.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "master/rules/mode.hpp"

namespace fixkeep::master {
namespace {

std::optional<std::int64_t> whole_number_of(const nlohmann::json& value) {
  static constexpr double most = 9e15;  // every whole number up to here is a double
  if (!value.is_number()) return {};
  const auto number = value.get<double>();
  if (!(std::abs(number) <= most)) return {};
  return static_cast<std::int64_t>(std::floor(number));
}

}  // namespace

std::string band_name(const Band& band, std::int64_t value) {
  const auto above = std::upper_bound(band.edges.begin(), band.edges.end(), value);
  if (above == band.edges.begin()) return "lt" + std::to_string(band.edges.front());
  if (above == band.edges.end()) return "ge" + std::to_string(band.edges.back());
  return std::to_string(*(above - 1)) + "-" + std::to_string(*above - 1);
}

void add_bands(const Mode& mode, const nlohmann::json& attributes, GroupKeyDraft& draft) {
  for (const auto& band : mode.bands) {
    const auto found = attributes.find(band.attribute);
    if (found == attributes.end()) {
      draft.miss(band.attribute);
    } else if (const auto number = whole_number_of(*found)) {
      draft.add(band.attribute, band_name(band, *number));
    } else {
      draft.refuse(band.attribute, "must be a number");
    }
  }
}

}  // namespace fixkeep::master
