// Configuration files of a master for tests, and what is said of them.
// Thread rule: one owner. Errors: test failures.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "master/shell/settings.hpp"
#include "tests/support/temporary_folder.hpp"

namespace fixkeep::master {

using Loaded = std::variant<Settings, config::Problems>;

// A file in a folder of its own, gone with it.
class Files {
 public:
  std::string write(const std::string& name, std::string_view text) {
    const auto path = folder_ / name;
    std::ofstream{path} << text;
    return path.string();
  }
  [[nodiscard]] std::string folder() const { return folder_.string() + "/"; }

 private:
  test::TemporaryFolder folder_;
};

inline Loaded load(const std::string& file, std::vector<std::string> settings = {},
                   const std::vector<std::string>& variables = {}) {
  return load_settings({.file = file, .settings = std::move(settings)}, variables);
}

inline std::vector<std::string> lines(const Loaded& loaded) {
  std::vector<std::string> text;
  if (const auto* problems = std::get_if<config::Problems>(&loaded)) {
    for (const auto& problem : *problems) text.push_back(to_string(problem));
  }
  return text;
}

// A configuration with what is needed and no more.
inline constexpr const char* minimal = "tests/unit/master/shell/minimal.json";

}  // namespace fixkeep::master
