#include "common/config/suggestion.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

namespace fixkeep::config {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> steps(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        steps[i][j] = i + j;
        continue;
      }
      const std::size_t replaced = steps[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      steps[i][j] = std::min({steps[i - 1][j] + 1, steps[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        steps[i][j] = std::min(steps[i][j], steps[i - 2][j - 2] + 1);
      }
    }
  }
  return steps[a.size()][b.size()];
}

std::string in_snake_case(std::string_view word) {
  std::string snake;
  bool inside = false;  // the previous character was a lower-case letter or a digit
  for (const char c : word) {
    const auto letter = static_cast<unsigned char>(c);
    if (inside && std::isupper(letter) != 0) snake += '_';
    snake += c == '-' ? '_' : static_cast<char>(std::tolower(letter));
    inside = std::islower(letter) != 0 || std::isdigit(letter) != 0;
  }
  return snake;
}

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> known) {
  if (word.size() > 200) return {};
  std::optional<std::string> best;
  // At most three letters, and at most a third of the letters, may differ. Otherwise short words
  // match everything.
  std::size_t best_distance = std::min<std::size_t>(3, word.size() / 3) + 1;
  for (const std::string& spelling : {std::string{word}, in_snake_case(word)}) {
    for (const auto& candidate : known) {
      const auto [shorter, longer] = std::minmax({spelling.size(), candidate.size()});
      if (longer - shorter >= best_distance) continue;  // the distance is at least this difference
      const std::size_t distance = edit_distance(spelling, candidate);
      if (distance < best_distance) {
        best = candidate;
        best_distance = distance;
      }
    }
  }
  return best;
}

std::string suggestion(std::string_view word, std::span<const std::string> known) {
  const auto meant = nearest(word, known);
  return meant ? "; did you mean \"" + *meant + "\"?" : "";
}

}  // namespace fixkeep::config
