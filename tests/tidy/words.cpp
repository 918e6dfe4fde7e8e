// Words: those that the glossary avoids, and those that begin no sentence. An identifier is cut
// where it is joined, "SettledView" into "settled" and "view"; a part that begins with the stem of
// such a word ("settl") is one of its forms.
#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <sstream>
#include <utility>

#include "tests/tidy/rules.hpp"
#include "tests/tidy/text.hpp"

namespace fixkeep::tidy {
namespace {

constexpr std::string_view glossary = "docs/design.md";
constexpr std::string_view list_begins = "\nWords to avoid";

// The first column of the table behind `list_begins`, without its head.
std::vector<std::string> avoided_words(std::string_view text) {
  std::vector<std::string> words;
  const auto list = text.find(list_begins);
  for (auto at = list; at != std::string_view::npos; at = text.find('\n', at + 1)) {
    const auto line = text.substr(at + 1, text.find('\n', at + 1) - at - 1);
    if (line.starts_with("#")) break;
    if (!line.starts_with("| ")) continue;
    words.emplace_back(line.substr(2, line.find(' ', 2) - 2));
  }
  if (!words.empty()) words.erase(words.begin());
  return words;
}

std::string stem_of(const std::string& word) {
  return word.ends_with('e') ? word.substr(0, word.size() - 1) : word;
}

bool begins_with(std::string_view part, std::string_view stem) {
  return part.starts_with(stem) || (part.starts_with("un") && part.substr(2).starts_with(stem));
}

// The parts of all identifiers of a code, in lower case, each with the line it stands in.
std::vector<std::pair<std::string, int>> parts_of(std::string_view code) {
  std::vector<std::pair<std::string, int>> parts;
  std::string part;
  int line = 1;
  const auto end_part = [&] {
    if (!part.empty()) parts.emplace_back(std::exchange(part, {}), line);
  };
  for (std::size_t i = 0; i < code.size(); ++i) {
    const auto is = [&](int (*kind)(int), std::size_t at) {
      return at < code.size() && kind(static_cast<unsigned char>(code[at])) != 0;
    };
    // "tlsWish" is cut before its capital, and "TLSWish" before the last one of several.
    const bool begins = is(std::isupper, i) && (is(std::islower, i - 1) || is(std::islower, i + 1));
    if (begins || !is(std::isalpha, i)) end_part();
    if (is(std::isalpha, i)) part += static_cast<char>(std::tolower(code[i]));
    if (code[i] == '\n') ++line;
  }
  end_part();
  return parts;
}

constexpr std::array<std::string_view, 7> no_subjects{"Of ",  "Who ",      "What ", "Those ",
                                                      "How ", "Likewise ", "As "};

// Whether the line is the first one of a comment, and begins with none of a subject.
bool lacks_a_subject(std::string_view line, std::string_view before) {
  const auto words_of = [](std::string_view text) {
    const auto at = text.find_first_not_of(' ');
    const bool is_comment = at != std::string_view::npos && text.substr(at).starts_with("//");
    return is_comment ? std::optional{text.substr(at + 2)} : std::nullopt;
  };
  const auto words = words_of(line);
  return words && !words_of(before) &&
         std::any_of(no_subjects.begin(), no_subjects.end(), [&](std::string_view word) {
           return words->starts_with(" " + std::string{word});
         });
}

// One finding a file of the product, as for words.
void check_comments(const SourceFile& file, std::vector<Finding>& findings) {
  if (is_test(file.path)) return;
  Finding found{file.path, 0, "comment", "a comment is a sentence with a subject and a verb"};
  std::istringstream in{file.text};
  std::string before;
  int number = 0;
  for (std::string line; std::getline(in, line); before = line) {
    ++number;
    if (!lacks_a_subject(line, before)) continue;
    if (found.size++ == 0) found.line = number;
  }
  if (found.size > 0) findings.push_back(std::move(found));
}

}  // namespace

std::vector<Finding> check_words(const std::vector<SourceFile>& tree) {
  std::vector<std::string> words;
  for (const auto& file : tree) {
    if (file.path == glossary) words = avoided_words(file.text);
  }
  std::vector<Finding> findings;
  if (words.empty()) {
    findings.push_back({std::string{glossary}, 1, "words", "lists no words to avoid"});
  }
  for (const auto& file : tree) {
    if (!file.path.ends_with(".hpp") && !file.path.ends_with(".cpp")) continue;
    check_comments(file, findings);
    const auto parts = parts_of(code_of(file.text));
    for (const auto& word : words) {
      const std::string stem = stem_of(word);
      const auto is_form = [&](const auto& part) { return begins_with(part.first, stem); };
      const auto first = std::find_if(parts.begin(), parts.end(), is_form);
      if (first == parts.end()) continue;
      const auto uses = static_cast<int>(std::count_if(first, parts.end(), is_form));
      findings.push_back({file.path, first->second, "word:" + word,
                          "\"" + word + "\" is a word that " + std::string{glossary} + " avoids; " +
                              std::to_string(uses) + " identifiers have it",
                          uses});
    }
  }
  return findings;
}

}  // namespace fixkeep::tidy
