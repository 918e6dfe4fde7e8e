// The files that the pages of the project share: what they draw with.
//
// Thread rule: free functions without state. The texts live as long as the program.
#pragma once

#include <string_view>

namespace fixkeep::web {

[[nodiscard]] std::string_view drawing_js() noexcept;
[[nodiscard]] std::string_view uplot_js() noexcept;
[[nodiscard]] std::string_view uplot_css() noexcept;

}  // namespace fixkeep::web
