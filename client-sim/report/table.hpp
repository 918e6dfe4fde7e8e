// Tables of text and the form of numbers in them.
//
// Thread rule: free functions without state.
#pragma once

#include <string>
#include <vector>

#include "common/base/percentiles.hpp"

namespace fixkeep::client_sim {

using Table = std::vector<std::vector<std::string>>;  // the first row is the heading

// Columns aligned for a terminal. They are two spaces or more apart: the first to the left and the
// others to the right. Cells have no double spaces: scripts can split the columns.
[[nodiscard]] std::string to_text(const Table& table);

// 1.23, 12.3, 1234: as few digits as say something. Infinite: "never".
[[nodiscard]] std::string format_ms(double value);

// Without decimals. Infinite: "never".
[[nodiscard]] std::string format_whole(double value);

// "20 / 24 / 31": least, median, most; "20" if they are the same.
[[nodiscard]] std::string format_spread(const Spread& span, std::string (*format)(double));

}  // namespace fixkeep::client_sim
