// Each lock is drawn in its style: one colour, one dash and one marker, the same wherever it is
// shown.
//
// A style belongs to the name, not to the place in a list: a report of two locks and one of eleven
// show them alike. The colours are in palette.css, the dashes in plot.css (classes c0, c1, …).
// Thread rule: free functions without state.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fixkeep::client_sim {

// No two of the known locks share a style; all other names share the last one.
inline constexpr std::size_t lock_styles = 12;
[[nodiscard]] std::size_t style_of(std::string_view lock);

// Its marker as SVG, some ten units wide, around a point.
[[nodiscard]] std::string marker_of(std::size_t style, double x, double y);

}  // namespace fixkeep::client_sim
