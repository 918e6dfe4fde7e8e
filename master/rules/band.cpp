#include "master/rules/band.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "master/rules/mode.hpp"

namespace fixkeep::master {
namespace {

struct AsNumber {
  using Number = std::optional<double>;

  Number operator()(std::int64_t number) const { return static_cast<double>(number); }
  Number operator()(std::uint64_t number) const { return static_cast<double>(number); }
  Number operator()(double number) const { return number; }
  template <class Other>
  Number operator()(const Other& /*no number*/) const {
    return {};
  }
};

std::optional<std::int64_t> whole_number_of(const PlainValue& value) {
  static constexpr double most = 9e15;  // every whole number up to here is a double
  const auto number = std::visit(AsNumber{}, value);
  if (!number || !(std::abs(*number) <= most)) return {};
  return static_cast<std::int64_t>(std::floor(*number));
}

}  // namespace

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
