// What the rules ask of paths and of lines.
//
// Thread rule: free functions. Errors: none.
#pragma once

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace fixkeep::tidy {

[[nodiscard]] inline bool is_header(std::string_view path) {
  return path.ends_with(".hpp");
}

[[nodiscard]] inline bool is_cpp(std::string_view path) {
  return path.ends_with(".cpp") || is_header(path);
}

[[nodiscard]] inline bool is_test(std::string_view path) {
  return path.starts_with("tests/") || path.find("/tests/") != std::string_view::npos;
}

[[nodiscard]] inline std::string parent_of(std::string_view path) {
  return std::string{path.substr(0, path.rfind('/'))};
}

[[nodiscard]] inline std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream in{std::string{text}};
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace fixkeep::tidy
