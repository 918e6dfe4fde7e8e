// Runs the inputs of a corpus through their target, without libFuzzer: what was found once is tried
// with every build of the tests.
//
// fixkeep-fuzz-replay TARGET FOLDER|FILE …
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/fuzz/targets.hpp"

namespace {

namespace fs = std::filesystem;
using Target = void (*)(std::string_view);

Target target_of(std::string_view name) {
#define FIXKEEP_FUZZ_ENTRY(target) {#target, &fixkeep::fuzz::fuzz_##target},
  static const std::vector<std::pair<std::string_view, Target>> targets{
      FIXKEEP_FUZZ_TARGETS(FIXKEEP_FUZZ_ENTRY)};
#undef FIXKEEP_FUZZ_ENTRY
  const auto found = std::find_if(targets.begin(), targets.end(),
                                  [&](const auto& entry) { return entry.first == name; });
  return found == targets.end() ? nullptr : found->second;
}

std::vector<fs::path> inputs_at(const fs::path& path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> inputs;
  for (const auto& entry : fs::directory_iterator{path}) inputs.push_back(entry.path());
  std::sort(inputs.begin(), inputs.end());
  return inputs;
}

std::string contents_of(const fs::path& path) {
  std::ifstream in{path, std::ios::binary};
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw std::runtime_error{"cannot read " + path.string()};
  return text.str();
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const Target target = words.size() < 2 ? nullptr : target_of(words[0]);
  if (target == nullptr) {
    std::cerr << "fixkeep-fuzz-replay TARGET FOLDER|FILE …; targets: see tests/fuzz/README.md\n";
    return 2;
  }
  std::size_t count = 0;
  for (std::size_t i = 1; i < words.size(); ++i) {
    for (const auto& input : inputs_at(words[i])) {
      // Said first: the input that ends the process is the last one in the output.
      std::cout << input.string() << std::endl;
      target(contents_of(input));
      ++count;
    }
  }
  std::cout << words[0] << ": " << count << " inputs\n";
  return count == 0 ? 1 : 0;
}
