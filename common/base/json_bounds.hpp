// Decides whether foreign JSON is small enough to parse. A malicious server may send endless
// brackets. Each bracket is one byte of text, but needs about forty bytes of memory after parsing.
//
// Counts brackets and commas outside strings. Does not check the syntax.
// Thread rule: a free function. Bounds: reads each byte at most one time. Errors: none.
#pragma once

#include <cstddef>
#include <string_view>

namespace fixkeep {

struct JsonBounds {
  int deepest = 64;
  std::size_t most_values = 2'000'000;
};

[[nodiscard]] inline bool is_within(std::string_view json, JsonBounds bounds = {}) {
  int depth = 0;
  std::size_t values = 1;
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '"') in_string = !in_string;
    if (in_string && c == '\\') ++i;
    if (in_string) continue;
    if (c == ']' || c == '}') --depth;
    if (c == '[' || c == '{') ++depth;
    if (c == '[' || c == '{' || c == ',') ++values;
    if (depth > bounds.deepest || values > bounds.most_values) return false;
  }
  return true;
}

}  // namespace fixkeep
