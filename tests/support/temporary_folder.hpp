// A folder of a test's own, which goes with its owner.
//
// Errors: std::runtime_error where none can be made. Thread rule: one thread at a time.
#pragma once

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

namespace fixkeep::test {

class TemporaryFolder {
 public:
  explicit TemporaryFolder(
      const std::filesystem::path& parent = std::filesystem::temp_directory_path()) {
    auto pattern = (parent / "fixkeep-test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error{"cannot make " + pattern};
    path_ = pattern;
  }
  // A keeper that is still ending takes its room's folder away at the same time, and a removal
  // fails that finds less than it saw: it is tried again, as long as a keeper may take. What stays
  // behind then is no failure of the test.
  ~TemporaryFolder() {
    if (kept_) return;
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{10};
    for (std::error_code failure;;) {
      std::filesystem::remove_all(path_, failure);
      if (!failure || std::chrono::steady_clock::now() > until) return;
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  void keep() { kept_ = true; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::string string() const { return path_.string(); }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
  bool kept_ = false;
};

}  // namespace fixkeep::test
