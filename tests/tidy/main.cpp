#include <filesystem>
#include <iostream>

#include "tests/tidy/rules.hpp"
#include "tests/tidy/tree.hpp"

int main(int argc, char** argv) {
  const std::filesystem::path root = argc > 1 ? argv[1] : ".";
  const auto tree = fixkeep::tidy::load_tree(root);
  auto all = fixkeep::tidy::check_tree(tree);
  const auto of_words = fixkeep::tidy::check_words(tree);
  all.insert(all.end(), of_words.begin(), of_words.end());
  const auto of_prose = fixkeep::tidy::check_prose(tree);
  all.insert(all.end(), of_prose.begin(), of_prose.end());
  const auto findings = fixkeep::tidy::apply_exceptions(
      std::move(all), fixkeep::tidy::text_of(root / "tests/tidy/exceptions.txt"));
  for (const auto& finding : findings) {
    std::cout << finding.path << ':' << finding.line << ": " << finding.rule << ": "
              << finding.message << '\n';
  }
  if (tree.empty()) std::cout << "there is nothing at " << root << '\n';
  return findings.empty() && !tree.empty() ? 0 : 1;
}
