// A Problem is a mistake in a configuration: its place, its key and the expected value.
//
// All problems of a start are collected and shown together. Thread rule: values.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace fixkeep::config {

struct Problem {
  std::string where;     // "configs/master.json:12", "environment variable FIXKEEP_HTTP_PORT"
  std::size_t line = 0;  // line in the file, for sorting; 0: not from the file
  std::string key;       // "mesh.masters[2].id"; empty: no key
  std::string message;   // "must be a whole number between 0 and 65535, is 70000"

  friend bool operator==(const Problem&, const Problem&) = default;
};

using Problems = std::vector<Problem>;

// "where: key: message"
[[nodiscard]] inline std::string to_string(const Problem& problem) {
  return problem.where + ": " + (problem.key.empty() ? "" : problem.key + ": ") + problem.message;
}

}  // namespace fixkeep::config
