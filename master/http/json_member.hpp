// Writes a JSON object member by member.
// Thread rule: free function. Errors: none.
#pragma once

#include <string>
#include <string_view>

#include "common/base/json_text.hpp"

namespace fixkeep::master {

// Appends a text member. `out` is empty, or an object without its last "}".
inline void append_member(std::string_view name, std::string_view text, std::string& out) {
  out.append(out.empty() ? "{\"" : ",\"").append(name).append("\":");
  append_json_text(text, out);
}

}  // namespace fixkeep::master
