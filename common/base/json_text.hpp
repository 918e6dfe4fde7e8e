// Appends a text as a JSON string. Answers on the hot path thus need no document tree.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace fixkeep {

inline void append_json_text(std::string_view text, std::string& out) {
  static constexpr std::string_view digits = "0123456789abcdef";
  const auto stays = [](char c) {
    return c != '"' && c != '\\' && static_cast<unsigned char>(c) >= 0x20U;
  };
  const char* const end = text.data() + text.size();
  out += '"';
  for (const char* at = text.data(); at != end;) {
    const char* const run_end = std::find_if_not(at, end, stays);
    out.append(at, run_end);
    at = run_end;
    if (at == end) break;
    const auto byte = static_cast<unsigned char>(*at++);
    if (byte >= 0x20U) {
      out += '\\';
      out += static_cast<char>(byte);
    } else {
      out += "\\u00";
      out += digits[byte >> 4U];
      out += digits[byte & 15U];
    }
  }
  out += '"';
}

}  // namespace fixkeep
