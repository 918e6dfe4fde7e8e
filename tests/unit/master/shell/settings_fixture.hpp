// Settings of a master, read from files of a folder that is gone with the test.
#pragma once

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "master/shell/settings.hpp"

namespace fixkeep::master {

using config::CommandLine;
using config::Json;
using config::Problems;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

using Loaded = std::variant<Settings, Problems>;

// A file in a folder of its own, gone with it.
class Files {
 public:
  Files() {
    std::string pattern = ::testing::TempDir() + "/fixkeep-settings-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~Files() { std::filesystem::remove_all(folder_); }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  std::string write(const std::string& name, std::string_view text) {
    const auto path = folder_ / name;
    std::ofstream{path} << text;
    return path.string();
  }
  [[nodiscard]] std::string folder() const { return folder_.string() + "/"; }

 private:
  std::filesystem::path folder_;
};

inline Loaded load(const std::string& file, std::vector<std::string> settings = {},
                   const std::vector<std::string>& variables = {}) {
  return load_settings({.file = file, .settings = std::move(settings)}, variables);
}

inline std::vector<std::string> lines(const Loaded& loaded) {
  std::vector<std::string> text;
  if (const auto* problems = std::get_if<Problems>(&loaded)) {
    for (const auto& problem : *problems) text.push_back(to_string(problem));
  }
  return text;
}

inline constexpr const char* minimal = R"({
  "cluster": {"id": "c", "secret": "0123456789abcdef"},
  "master": {"id": 2, "zone": "a"},
  "http": {"port": 8101},
  "mesh": {"listen": "[::1]:7102",
           "masters": [{"id": 3, "address": "m3:7103"}, {"id": 1, "address": "m1:7101"},
                       {"id": 2, "address": "[::1]:7102"}]},
  "modes": [{"name": "duel", "capacity": 2}]
})";

}  // namespace fixkeep::master
