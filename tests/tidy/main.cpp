#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "tests/tidy/rules.hpp"

namespace {

std::string read(const std::filesystem::path& path) {
  std::ifstream in{path, std::ios::binary};
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<fixkeep::tidy::SourceFile> load(const std::filesystem::path& root) {
  std::vector<fixkeep::tidy::SourceFile> tree;
  for (auto it = std::filesystem::recursive_directory_iterator{root};
       it != std::filesystem::recursive_directory_iterator{}; ++it) {
    const auto name = it->path().filename().string();
    if (it->is_directory() && it.depth() == 0 &&
        (name == "build" || (name.starts_with('.') && name != ".ci"))) {
      it.disable_recursion_pending();
    } else if (it->is_regular_file() && name != ".git") {
      tree.push_back({it->path().lexically_relative(root).generic_string(), read(it->path())});
    }
  }
  std::sort(tree.begin(), tree.end(),
            [](const auto& left, const auto& right) { return left.path < right.path; });
  return tree;
}

}  // namespace

int main(int argc, char** argv) {
  const std::filesystem::path root = argc > 1 ? argv[1] : ".";
  const auto tree = load(root);
  auto all = fixkeep::tidy::check_tree(tree);
  const auto of_words = fixkeep::tidy::check_words(tree);
  all.insert(all.end(), of_words.begin(), of_words.end());
  const auto findings =
      fixkeep::tidy::apply_exceptions(std::move(all), read(root / "tests/tidy/exceptions.txt"));
  for (const auto& finding : findings) {
    std::cout << finding.path << ':' << finding.line << ": " << finding.rule << ": "
              << finding.message << '\n';
  }
  if (tree.empty()) std::cout << "there is nothing at " << root << '\n';
  return findings.empty() && !tree.empty() ? 0 : 1;
}
