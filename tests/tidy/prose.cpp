// Plain words: what makes documents and comments slow to read is counted, over all of them
// together. Sizes are rounded, so that a good sentence more does not change them.
#include <algorithm>
#include <cctype>
#include <numeric>
#include <regex>

#include "tests/tidy/rules.hpp"
#include "tests/tidy/text.hpp"

namespace fixkeep::tidy {
namespace {

constexpr std::size_t document_columns = 140;

// What stands in a text is cut into sentences: no tables, headings and blocks of code; a link is
// its words, and code within a line is one word.
std::vector<std::string> sentences_of(std::string_view text) {
  std::string plain;
  bool is_block = false;
  static const std::regex link{R"(!?\[([^\]]*)\]\([^)]*\))"};
  static const std::regex code{"`[^`]*`"};
  static const std::regex item{R"(^\s*(?:[-*]|\d+\.) )"};
  for (auto line : lines_of(text)) {
    if (line.starts_with("```")) is_block = !is_block;
    const auto begin = line.find_first_not_of(' ');
    const bool is_cell = begin != std::string::npos && line[begin] == '|';
    if (is_block || is_cell || line.starts_with("#") || line.starts_with("```")) continue;
    line = std::regex_replace(line, code, "X");
    line = std::regex_replace(line, link, "$1");
    plain += std::regex_replace(line, item, ". ") + ' ';
  }
  std::vector<std::string> sentences;
  std::size_t begin = 0;
  const auto cut = [&](std::size_t end) {
    const auto sentence = plain.substr(begin, end - begin);
    begin = end;
    const auto first = sentence.find_first_not_of(" .");
    if (first != std::string::npos) sentences.push_back(sentence.substr(first));
  };
  for (std::size_t at = 1; at + 1 < plain.size(); ++at) {
    if (plain[at] != ' ' || std::string_view{".!?:;"}.find(plain[at - 1]) == std::string::npos) {
      continue;
    }
    const auto next = plain.find_first_not_of(' ', at);
    if (next != std::string::npos &&
        (std::isupper(static_cast<unsigned char>(plain[next])) != 0 || plain[next] == '*')) {
      cut(at);
    }
  }
  cut(plain.size());
  return sentences;
}

int words_in(const std::string& sentence) {
  std::istringstream in{sentence};
  return static_cast<int>(std::distance(std::istream_iterator<std::string>{in}, {}));
}

int matches_in(const std::string& sentence, const std::regex& rule) {
  return static_cast<int>(
      std::distance(std::sregex_iterator{sentence.begin(), sentence.end(), rule}, {}));
}

// The comments of a source, each as one text.
std::string comments_of(const SourceFile& file) {
  std::string text;
  for (const auto& line : lines_of(file.text)) {
    const auto begin = line.find_first_not_of(' ');
    if (begin != std::string::npos && line.compare(begin, 2, "//") == 0) {
      text += line.substr(std::min(line.size(), begin + 3)) + ' ';
    } else if (!text.empty() && !text.ends_with(".\n")) {
      text += ".\n";
    }
  }
  return text;
}

struct Aims {
  int median = 0;  // words a sentence
  int p90 = 0;
  int commas = 0;  // in ten sentences
  int odd = 0;     // openings in 100 sentences, where a subject should stand
  int vague = 0;   // in 100 sentences
};

class ProseChecker {
 public:
  explicit ProseChecker(std::string path) : path_(std::move(path)) {}

  void add(std::string_view text) {
    static const std::regex odd{
        R"(^(\*\*)?(Who|Whoever|Whose|Whom|What|Whatever|Of|Those|Such|So|Likewise|That|Which)\b)"};
    static const std::regex vague{
        R"(\b(who|whom|whose|whoever|whatever|nobody|anybody|somebody|everybody|none|such|)"
        R"(so many|as many|that of|those of|one of it|all of it)\b)",
        std::regex::icase};
    for (const auto& sentence : sentences_of(text)) {
      const int words = words_in(sentence);
      if (words <= 3) continue;
      words_.push_back(words);
      commas_ += std::count(sentence.begin(), sentence.end(), ',');
      odd_ += std::regex_search(sentence, odd) ? 1 : 0;
      vague_ += matches_in(sentence, vague);
    }
  }

  void judge(const Aims& aims, std::vector<Finding>& findings) {
    if (words_.empty()) return;
    std::sort(words_.begin(), words_.end());
    const auto count = static_cast<long>(words_.size());
    const auto report = [&](const char* rule, long size, int most, const char* what) {
      if (size <= most) return;
      findings.push_back({path_, 1, rule,
                          std::to_string(size) + ' ' + what + "; at most " + std::to_string(most),
                          static_cast<int>(size)});
    };
    report("words", words_[words_.size() / 2], aims.median, "words in the median sentence");
    report("long_sentences", words_[words_.size() * 9 / 10], aims.p90,
           "words in one of ten sentences");
    report("commas", (10 * commas_ + count / 2) / count, aims.commas, "commas in ten sentences");
    report("openings", (100 * odd_ + count / 2) / count, aims.odd,
           "of 100 sentences begin with Who, What, Of, Those, Such, So and the like");
    report("vague", (100 * vague_ + count / 2) / count, aims.vague,
           "of who, nobody, such, so many and the like in 100 sentences");
  }

 private:
  std::string path_;
  std::vector<int> words_;  // of each sentence
  long commas_ = 0;
  long odd_ = 0;
  long vague_ = 0;
};

// The columns of a line in UTF-8.
std::size_t columns_of(std::string_view line) {
  return static_cast<std::size_t>(std::count_if(line.begin(), line.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

// Lines that are too long for an editor, outside of tables and blocks of code.
int long_lines_in(std::string_view text) {
  int count = 0;
  bool is_block = false;
  for (const auto& line : lines_of(text)) {
    if (line.starts_with("```")) is_block = !is_block;
    if (!is_block && !line.starts_with("|") && columns_of(line) > document_columns) ++count;
  }
  return count;
}

// Comments behind code that cannot stand alone: "of the first claim".
int fragments_in(std::string_view text) {
  static const std::regex fragment{R"(\S.*?\s//+ ?(of|that|for|to|who|what|in which|from)\b)"};
  const auto lines = lines_of(text);
  return static_cast<int>(std::count_if(lines.begin(), lines.end(), [](const std::string& line) {
    return line.find("//") != std::string::npos && std::regex_search(line, fragment);
  }));
}

int in_tens(int count) {
  return (count + 9) / 10 * 10;
}

}  // namespace

std::vector<Finding> check_prose(const std::vector<SourceFile>& tree) {
  ProseChecker documents{"documents"};
  ProseChecker comments{"comments"};
  int long_lines = 0;
  int fragments = 0;
  for (const auto& file : tree) {
    if (is_test(file.path)) continue;
    if (file.path.ends_with(".md")) {
      documents.add(file.text);
      long_lines += long_lines_in(file.text);
    } else if (is_cpp(file.path)) {
      comments.add(comments_of(file));
      fragments += fragments_in(file.text);
    }
  }
  std::vector<Finding> findings;
  documents.judge({.median = 14, .p90 = 27, .commas = 8, .odd = 2, .vague = 5}, findings);
  comments.judge({.median = 11, .p90 = 22, .commas = 5, .odd = 1, .vague = 4}, findings);
  if (long_lines > 0) {
    findings.push_back({"documents", 1, "long_lines",
                        std::to_string(long_lines) + " lines of more than 140 columns",
                        in_tens(long_lines)});
  }
  if (fragments > 40) {
    findings.push_back({"comments", 1, "fragments",
                        std::to_string(fragments) +
                            " comments behind code begin with of, that, for, to and the like; at "
                            "most 40",
                        in_tens(fragments)});
  }
  return findings;
}

}  // namespace fixkeep::tidy
