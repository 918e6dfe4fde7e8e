// The page of a report: one HTML file that needs no other file. The page draws the data inside it,
// or a JSON file that the reader drops on the page. `--json` writes such a file: see run_json.hpp.
//
// Thread rule: a pure function. Errors: none.
#pragma once

#include <string>
#include <string_view>

namespace fixkeep::client_sim {

// Returns the page with the data in `json`, the text of a JSON document.
[[nodiscard]] std::string report_page(std::string_view json);

}  // namespace fixkeep::client_sim
