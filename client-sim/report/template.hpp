// Filling Mustache templates (mustache.github.io), the files *.mustache beside the reports.
//
// {{name}} is escaped for HTML, {{{name}}} is not. The library behind it costs seconds to parse, so
// that only template.cpp includes it.
// Thread rule: pure functions. Errors: a template that is malformed is our own bug, and asserts; a
// name without a value is an empty text.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace fixkeep::client_sim {

// `values` is an object. Arrays and objects are sections, and so are booleans; null is false.
[[nodiscard]] std::string fill_template(std::string_view text, const nlohmann::json& values);

// The templates and the style sheets, as their files were when the program was built.
[[nodiscard]] std::string_view at_setting_template() noexcept;
[[nodiscard]] std::string_view legend_template() noexcept;
[[nodiscard]] std::string_view locks_template() noexcept;
[[nodiscard]] std::string_view page_template() noexcept;
[[nodiscard]] std::string_view picture_template() noexcept;
[[nodiscard]] std::string_view report_palette() noexcept;
[[nodiscard]] std::string_view report_plot_style() noexcept;
[[nodiscard]] std::string_view report_style() noexcept;
[[nodiscard]] std::string_view rooms_template() noexcept;
[[nodiscard]] std::string_view table_template() noexcept;

}  // namespace fixkeep::client_sim
