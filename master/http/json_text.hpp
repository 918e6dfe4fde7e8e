// A text as a JSON string, appended in place: the answers of the hot path are written without a
// document tree in between.
#pragma once

#include <string>
#include <string_view>

namespace fixkeep::master {

inline void append_json_text(std::string_view text, std::string& out) {
  static constexpr std::string_view digits = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20U) {
      out += "\\u00";
      out += digits[byte >> 4U];
      out += digits[byte & 15U];
    } else {
      out += c;
    }
  }
  out += '"';
}

}  // namespace fixkeep::master
