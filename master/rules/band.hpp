// The rule for bands: players whose numbers (for example skills) are in one band play together.
//
// Thread rule: values and free functions. Bounds: whole numbers that a double represents exactly.
// Errors: see group_key.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "master/rules/attributes.hpp"
#include "master/rules/group_key.hpp"

namespace fixkeep::master {

// Divides the whole numbers into bands at ascending `edges`. One band is below the first edge, one
// band is between each two adjacent edges, and one band is from the last edge up.
struct Band {
  std::string attribute;
  std::vector<std::int64_t> edges;

  friend bool operator==(const Band&, const Band&) = default;
};

// Returns "lt1000", "1000-1199" or "ge1200" for edges 1000 and 1200. REQUIRES: ascending edges, at
// least one.
[[nodiscard]] std::string band_name(const Band& band, std::int64_t value);

struct Mode;

// Adds every band of the mode (Mode::bands). The player needs a number for each band.
void add_bands(const Mode& mode, const Attributes& attributes, GroupKeyDraft& draft);

}  // namespace fixkeep::master
