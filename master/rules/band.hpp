// The rule of bands: players with a number (a skill, say) in one band play together.
//
// Thread rule: values and free functions. Bounds: whole numbers that a double can tell apart.
// Errors: see group_key.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "master/rules/attributes.hpp"
#include "master/rules/group_key.hpp"

namespace fixkeep::master {

// Cuts the whole numbers at ascending `edges`: below the first, between two, from the last on.
struct Band {
  std::string attribute;
  std::vector<std::int64_t> edges;

  friend bool operator==(const Band&, const Band&) = default;
};

// "lt1000", "1000-1199", "ge1200" for edges 1000 and 1200. REQUIRES: at least one edge, ascending.
[[nodiscard]] std::string band_name(const Band& band, std::int64_t value);

struct Mode;

// Adds every band of the mode (Mode::bands). Each needs a number.
void add_bands(const Mode& mode, const Attributes& attributes, GroupKeyDraft& draft);

}  // namespace fixkeep::master
