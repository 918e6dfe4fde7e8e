// The files shared by the project's web pages: their code for drawing.
//
// Thread rule: free functions without state. The texts are valid until the program ends.
#pragma once

#include <string_view>

namespace fixkeep::web {

[[nodiscard]] std::string_view drawing_js() noexcept;
[[nodiscard]] std::string_view uplot_js() noexcept;
[[nodiscard]] std::string_view uplot_css() noexcept;

}  // namespace fixkeep::web
