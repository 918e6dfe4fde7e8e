// The page of a report: one HTML file that needs no other file. It draws its own data, or a JSON
// file that the reader drops on it. `--json` writes this data: see run_json.hpp.
//
// Thread rule: a pure function. Errors: none.
#pragma once

#include <string>
#include <string_view>

namespace fixkeep::client_sim {

// `json` is the text of a JSON document.
[[nodiscard]] std::string report_page(std::string_view json);

}  // namespace fixkeep::client_sim
