// Tables of text, and the format of their numbers.
//
// Thread rule: free functions without state.
#pragma once

#include <string>
#include <vector>

#include "common/base/percentiles.hpp"

namespace fixkeep::client_sim {

using Table = std::vector<std::vector<std::string>>;  // the first row is the heading

// Returns aligned columns for a terminal, at least two spaces apart. The first column is aligned
// left, all other columns right. Cells have no double spaces, so scripts can split the columns.
[[nodiscard]] std::string to_text(const Table& table);

// Returns 1.23, 12.3 or 1234: only the significant digits. Returns "never" for infinity.
[[nodiscard]] std::string format_ms(double value);

// Returns the number without decimals. Returns "never" for infinity.
[[nodiscard]] std::string format_whole(double value);

// Returns "20 / 24 / 31": least, median and most; or "20" if least and most are equal.
[[nodiscard]] std::string format_spread(const Spread& span, std::string (*format)(double));

}  // namespace fixkeep::client_sim
