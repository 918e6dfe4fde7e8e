#include "tests/tidy/tree.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>

namespace fixkeep::tidy {
namespace {

namespace fs = std::filesystem;

// Relative to the working folder. Empty: git cannot say.
std::vector<std::string> tracked_paths() {
  std::FILE* const git = ::popen("git ls-files -z 2>/dev/null", "r");
  if (git == nullptr) return {};
  std::string text;
  std::array<char, 4096> some{};
  while (const auto count = std::fread(some.data(), 1, some.size(), git)) {
    text.append(some.data(), count);
  }
  ::pclose(git);
  std::vector<std::string> paths;
  std::istringstream list{text};
  for (std::string path; std::getline(list, path, '\0');) paths.push_back(path);
  return paths;
}

std::vector<std::string> all_paths() {
  std::vector<std::string> paths;
  for (auto it = fs::recursive_directory_iterator{"."}; it != fs::recursive_directory_iterator{};
       ++it) {
    const auto name = it->path().filename().string();
    if (it->is_directory() && it.depth() == 0 &&
        (name == "build" || (name.starts_with('.') && name != ".ci"))) {
      it.disable_recursion_pending();
    } else if (it->is_regular_file() && name != ".git") {
      paths.push_back(it->path().lexically_relative(".").generic_string());
    }
  }
  return paths;
}

}  // namespace

std::string text_of(const fs::path& file) {
  std::ifstream in{file, std::ios::binary};
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<SourceFile> load_tree(const fs::path& root) {
  const auto before = fs::current_path();
  std::error_code failure;
  fs::current_path(root, failure);
  if (failure) return {};
  auto paths = tracked_paths();
  if (paths.empty()) paths = all_paths();
  std::sort(paths.begin(), paths.end());
  std::vector<SourceFile> tree;
  for (const auto& path : paths) {
    if (fs::is_regular_file(path, failure)) tree.push_back({path, text_of(path)});
  }
  fs::current_path(before);
  return tree;
}

}  // namespace fixkeep::tidy
