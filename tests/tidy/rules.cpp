#include "tests/tidy/rules.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "tests/tidy/text.hpp"

namespace fixkeep::tidy {
namespace {

// Written in two parts, since this file is checked too.
const std::array<std::string, 4> unfinished{std::string{"TO"} + "DO", std::string{"FIX"} + "ME",
                                            std::string{"GTEST_"} + "SKIP",
                                            std::string{"DIS"} + "ABLED_"};

std::string_view name_of(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// Files that merge and patch tools leave beside the one that they change.
bool is_left_over(std::string_view path) {
  return path.ends_with(".orig") || path.ends_with(".rej") || path.ends_with("~");
}

// Files that are not text, or are text of somebody else: pictures, and what fuzzers say.
bool is_not_ours_to_read(std::string_view path) {
  return (path.starts_with("docs/pictures/") && path.ends_with(".png")) ||
         path.starts_with("tests/fuzz/corpus/");
}

bool is_path_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.' ||
         c == '/';
}

// Words like "common/base/ids.hpp": a folder of the tree, and a file with an ending of a text of
// ours. Patterns ("tests/mutants/*.patch") are not such words.
std::vector<std::string> paths_named_in(std::string_view line) {
  constexpr std::array<std::string_view, 11> roots{"common/", "master/",  "worker/",     "lock/",
                                                   "ctl/",    "tests/",   "client-sim/", "docs/",
                                                   "cmake/",  "scripts/", "deploy/"};
  constexpr std::array<std::string_view, 4> endings{".hpp", ".cpp", ".md", ".sh"};
  std::vector<std::string> paths;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const auto rest = line.substr(at);
    const bool begins = at == 0 || !is_path_character(line[at - 1]);
    if (!begins || std::none_of(roots.begin(), roots.end(),
                                [&](auto root) { return rest.starts_with(root); })) {
      continue;
    }
    const auto end = std::find_if_not(rest.begin(), rest.end(), is_path_character);
    std::string_view word{rest.begin(), end};
    while (word.ends_with('.')) word.remove_suffix(1);
    if (std::any_of(endings.begin(), endings.end(),
                    [&](auto ending) { return word.ends_with(ending); })) {
      paths.emplace_back(word);
    }
  }
  return paths;
}

class Checker {
 public:
  explicit Checker(const std::vector<SourceFile>& tree) : tree_(tree) {
    for (const auto& file : tree) {
      paths_.insert(file.path);
      if (name_of(file.path) == "CMakeLists.txt") lists_[file.path] = file.text;
    }
  }

  std::vector<Finding> run() {
    for (const auto& file : tree_) {
      if (is_not_ours_to_read(file.path)) continue;
      if (is_left_over(file.path)) report(file, 1, "left_over", "is what a tool has left here");
      text(file);
      if (is_cpp(file.path)) cpp(file);
    }
    return std::move(findings_);
  }

 private:
  void report(const SourceFile& file, int line, std::string rule, std::string message,
              int size = 0) {
    findings_.push_back({file.path, line, std::move(rule), std::move(message), size});
  }

  void text(const SourceFile& file) {
    if (file.text.find('\0') != std::string::npos) report(file, 1, "text", "is not a text file");
    if (file.text.find('\r') != std::string::npos) report(file, 1, "text", "has carriage returns");
    if (!file.text.empty() && file.text.back() != '\n') {
      report(file, 1, "text", "does not end with a new line");
    }
    int number = 0;
    for (const auto& line : lines_of(file.text)) {
      ++number;
      for (const auto& word : unfinished) {
        if (line.find(word) != std::string::npos) report(file, number, "unfinished", "has " + word);
      }
      // Of a source only what a comment says: the compiler sees to the rest.
      const auto prose = is_cpp(file.path) ? std::min(line.find("//"), line.size()) : 0;
      for (const auto& path : paths_named_in(std::string_view{line}.substr(prose))) {
        if (!paths_.contains(path)) report(file, number, "path", "there is no " + path);
      }
    }
  }

  void cpp(const SourceFile& file) {
    const auto name = name_of(file.path);
    if (!std::all_of(name.begin(), name.end(), [](unsigned char c) {
          return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '_' || c == '.';
        })) {
      report(file, 1, "name", "a file name is snake_case");
    }
    const auto lines = lines_of(file.text);
    lengths(file, lines);
    if (is_header(file.path)) {
      if (!file.text.starts_with("//")) report(file, 1, "opening", "a header opens with a comment");
      if (file.text.find("\n#pragma once\n") == std::string::npos) {
        report(file, 1, "pragma", "a header has #pragma once");
      }
    } else if (!built(file.path)) {
      report(file, 1, "built", "is in no CMakeLists.txt");
    }
    const auto code = code_of(file.text);
    test_names(file, code);
    functions(file, code);
  }

  void lengths(const SourceFile& file, const std::vector<std::string>& lines) {
    const int most = is_header(file.path) ? 200 : 600;
    const int count = static_cast<int>(lines.size());
    if (count > most) {
      report(file, count, "file_lines",
             std::to_string(count) + " lines; at most " + std::to_string(most), count);
    }
    for (int i = 0; i < count; ++i) {
      const auto& line = lines[static_cast<std::size_t>(i)];
      if (line.find('\t') != std::string::npos) report(file, i + 1, "tab", "has a tab");
      const auto columns = std::count_if(line.begin(), line.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;  // the first byte of a character
      });
      if (columns > 100) report(file, i + 1, "line", "more than 100 columns");
    }
  }

  // Its own CMakeLists.txt names it, or one further up with the path from there.
  bool built(std::string_view path) const {
    for (auto cut = path.rfind('/'); cut != std::string_view::npos;
         cut = cut == 0 ? std::string_view::npos : path.rfind('/', cut - 1)) {
      const auto list = lists_.find(std::string{path.substr(0, cut)} + "/CMakeLists.txt");
      if (list != lists_.end() &&
          list->second.find(std::string{path.substr(cut + 1)}) != std::string::npos) {
        return true;
      }
    }
    return path.starts_with("cmake/");
  }

  // TEST(MatchmakerHold, a_sentence_about_what_it_does): a suite is a type, a test is a function.
  void test_names(const SourceFile& file, const std::string& code) {
    static const std::regex test{R"((?:^|\n)TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\))"};
    for (std::sregex_iterator at{code.begin(), code.end(), test}; at != std::sregex_iterator{};
         ++at) {
      const auto suite = at->str(1);
      const auto name = at->str(2);
      const bool has_capital = std::any_of(name.begin(), name.end(),
                                           [](unsigned char c) { return std::isupper(c) != 0; });
      if (std::isupper(static_cast<unsigned char>(suite.front())) != 0 && !has_capital) continue;
      const auto line = std::count(code.begin(), code.begin() + at->position(1), '\n') + 1;
      report(file, static_cast<int>(line), "test_name",
             "a suite is named like a type and a test in snake_case: " + suite + ", " + name);
    }
  }

  // The outermost braces that belong neither to a namespace nor to a type are functions' bodies.
  void functions(const SourceFile& file, const std::string& code) {
    std::vector<int> open;  // the line of a body's brace, 0 for a namespace or type
    std::string statement;
    int line = 1;
    bool directive = false;
    for (std::size_t i = 0; i < code.size(); ++i) {
      const char c = code[i];
      if (c == '\n') {
        ++line;
        directive = directive && i > 0 && code[i - 1] == '\\';
      }
      if (c == '#') directive = true;
      if (directive) continue;
      if (c == '{') {
        open.push_back(is_scope(statement) && (open.empty() || open.back() == 0) ? 0 : line);
      } else if (c == '}' && !open.empty()) {
        const int from = open.back();
        open.pop_back();
        const int length = line - from + 1;
        if (from != 0 && (open.empty() || open.back() == 0) && length > 70) {
          report(file, from, "function_lines",
                 std::to_string(length) + " lines in one function; at most 70", length);
        }
      }
      statement = c == ';' || c == '{' || c == '}' ? "" : statement + c;
    }
  }

  static bool is_scope(const std::string& statement) {
    std::istringstream words{statement};
    bool scope = false;
    for (std::string word; words >> word;) {
      if (word == "namespace" || word == "class" || word == "struct" || word == "union" ||
          word == "enum" || word == "extern") {
        scope = true;
      }
    }
    return scope && statement.find('(') == std::string::npos;
  }

  const std::vector<SourceFile>& tree_;
  std::set<std::string> paths_;
  std::map<std::string, std::string> lists_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> check_tree(const std::vector<SourceFile>& tree) {
  auto findings = check_folders(tree);
  auto of_classes = check_classes(tree);
  findings.insert(findings.end(), std::make_move_iterator(of_classes.begin()),
                  std::make_move_iterator(of_classes.end()));
  const auto of_files = Checker{tree}.run();
  findings.insert(findings.end(), of_files.begin(), of_files.end());
  return findings;
}

std::vector<Finding> apply_exceptions(std::vector<Finding> findings, std::string_view exceptions) {
  int number = 0;
  std::vector<Finding> complaints;
  for (const auto& line : lines_of(exceptions)) {
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    std::istringstream in{line};
    std::string rule;
    std::string path;
    std::string reason;
    int size = 0;
    const auto complain = [&](std::string message) {
      complaints.push_back({"tests/tidy/exceptions.txt", number, "exception", std::move(message)});
    };
    if (!(in >> rule >> path >> size >> reason)) {
      complain("is not RULE PATH SIZE REASON");
      continue;
    }
    const auto allowed = [&](const Finding& finding) {
      return finding.rule == rule && finding.path == path && finding.size == size;
    };
    if (std::erase_if(findings, allowed) == 0) complain("allows another size than there is");
  }
  findings.insert(findings.end(), complaints.begin(), complaints.end());
  return findings;
}

}  // namespace fixkeep::tidy
