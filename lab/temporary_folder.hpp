// A temporary folder of one run; the destructor removes it.
//
// Thread rule: a value with one owner. Errors: an empty path.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace fixkeep::client_sim {

class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::string& name) {
    auto pattern = (std::filesystem::temp_directory_path() / (name + "-XXXXXX")).string();
    if (::mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;  // if the folder remains in /tmp, the run does not fail
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace fixkeep::client_sim
