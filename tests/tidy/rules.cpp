#include "tests/tidy/rules.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace fixkeep::tidy {
namespace {
struct Folder {
  std::string_view path;
  std::vector<std::string_view> may_include;  // itself always
  bool sans_io = false;
};

// The one table of who may include whom; the longest path that fits counts.
const std::vector<Folder>& folders() {
  static const std::vector<Folder> table{
      {"common/base", {}, true},
      {"common/process", {"common/base"}},
      {"common/wire", {"common/base"}, true},
      {"common/events", {"common/base", "common/wire"}, true},
      {"common/lock", {"common/base", "common/wire"}, true},
      {"common/auth", {"common/base"}, true},
      {"common/sync", {"common/base"}},
      {"common/config", {"common/base"}},
      {"common/obs", {"common/base"}},
      {"common/net", {"common/base", "common/wire", "common/auth", "common/config", "common/obs"}},
      {"common/certs", {"common/base", "common/net", "common/process"}},
      {"common/engine", {"common/base", "common/lock", "common/net", "common/obs"}},
      {"common/node", {"common"}},
      {"master/rules", {"common/base"}, true},
      {"master/core",
       {"common/base", "common/wire", "common/events", "common/lock", "master/rules"},
       true},
      {"master/http", {"common", "master/core", "master/rules"}},
      {"master", {"common"}},
      {"worker/core", {"common/base", "common/wire", "common/events", "common/lock"}, true},
      {"worker/keeper", {"common/base", "common/process"}},
      {"worker/probe/core", {"common/base"}, true},
      {"worker/probe", {"common/base", "common/process", "common/obs", "common/net"}},
      {"worker/backend", {"common/base", "common/process", "common/obs", "worker/keeper"}},
      {"worker/sdk",
       {"common/auth", "common/base", "common/wire", "common/net", "common/obs", "common/process"}},
      {"worker", {"common"}},
      {"lock-node", {"common"}},
      {"ctl", {"common"}},
      {"packaging", {"common"}},
      {"client-sim/game",
       {"common/base", "common/wire", "common/net", "common/obs", "common/config", "common/auth"}},
      {"client-sim/relay/core", {"common/base"}, true},
      {"client-sim/relay", {"common/base", "common/net", "common/process"}},
      {"client-sim",
       {"common/base", "common/wire", "common/events", "common/net", "common/process",
        "common/config", "common/certs"}},
  };
  return table;
}

constexpr std::array<std::string_view, 14> io_headers{
    "boost/asio", "boost/beast", "boost/process", "thread",  "mutex",      "shared_mutex", "atomic",
    "future",     "random",      "iostream",      "fstream", "filesystem", "unistd.h",     "sys/"};
constexpr std::array<std::string_view, 4> io_use{"_clock::now", "getenv", "std::rand", "sleep_for"};

// Written in two parts, since this file is checked too.
const std::array<std::string, 4> unfinished{
    "TO"
    "DO",
    "FIX"
    "ME",
    "GTEST_"
    "SKIP",
    "DIS"
    "ABLED_"};

bool inside(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

const Folder* folder_of(std::string_view path) {
  const Folder* best = nullptr;
  for (const auto& folder : folders()) {
    if (inside(path, folder.path) && (!best || folder.path.size() > best->path.size())) {
      best = &folder;
    }
  }
  return best;
}

std::string_view name_of(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}
bool is_header(std::string_view path) {
  return path.ends_with(".hpp");
}
// Files that are not text, or are text of somebody else: pictures, and what fuzzers say.
bool is_not_ours_to_read(std::string_view path) {
  return (path.starts_with("docs/pictures/") && path.ends_with(".png")) ||
         path.starts_with("tests/fuzz/corpus/");
}

bool is_cpp(std::string_view path) {
  return path.ends_with(".cpp") || is_header(path);
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream in{std::string{text}};
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

bool is_path_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.' ||
         c == '/';
}

// Words like "common/base/ids.hpp": a folder of the tree, and a file with an ending of a text of
// ours. Patterns ("tests/mutants/*.patch") are not such words.
std::vector<std::string> paths_named_in(std::string_view line) {
  constexpr std::array<std::string_view, 11> roots{
      "common/",     "master/", "worker/", "lock-node/", "ctl/",      "tests/",
      "client-sim/", "docs/",   "cmake/",  "scripts/",   "packaging/"};
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
    includes(file, lines);
    test_names(file, code);
    calls(file, code);
    functions(file, code);
  }

  void lengths(const SourceFile& file, const std::vector<std::string>& lines) {
    const int most = is_header(file.path) ? 200 : 400;
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

  void includes(const SourceFile& file, const std::vector<std::string>& lines) {
    int number = 0;
    for (const auto& line : lines) {
      ++number;
      if (!line.starts_with("#include ") || line.size() < 12) continue;
      const auto end = line.find(line[9] == '<' ? '>' : '"', 10);
      if (end == std::string::npos) continue;
      const auto target = line.substr(10, end - 10);
      if (line[9] == '<') {
        system_include(file, number, target);
      } else {
        own_include(file, number, target);
      }
    }
  }

  void system_include(const SourceFile& file, int line, const std::string& target) {
    const auto* folder = folder_of(file.path);
    if (!folder || !folder->sans_io) return;
    for (const auto& header : io_headers) {
      if (target == header ||
          target.starts_with(header.ends_with('/') ? std::string{header}
                                                   : std::string{header} + "/") ||
          target == std::string{header} + ".hpp") {
        report(file, line, "sans_io", "a sans-IO folder does not include <" + target + ">");
      }
    }
  }

  void own_include(const SourceFile& file, int line, const std::string& target) {
    if (target.ends_with(".pb.h")) return;  // generated, hence not in the tree
    if (!paths_.contains(target)) {
      report(file, line, "include", "\"" + target + "\" is not a path from the root");
      return;
    }
    const auto* folder = folder_of(file.path);
    if (!folder || inside(target, folder->path)) return;
    // A shell may include its own core.
    const auto* other = folder_of(target);
    if (other && inside(other->path, folder->path)) return;
    if (std::any_of(folder->may_include.begin(), folder->may_include.end(),
                    [&](std::string_view allowed) { return inside(target, allowed); })) {
      return;
    }
    report(file, line, "include",
           std::string{folder->path} + " may not include \"" + target + "\"");
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

  void calls(const SourceFile& file, const std::string& code) {
    const auto* folder = folder_of(file.path);
    if (!folder || !folder->sans_io) return;
    for (const auto& call : io_use) {
      for (auto at = code.find(call); at != std::string::npos; at = code.find(call, at + 1)) {
        const auto line = std::count(code.begin(), code.begin() + static_cast<long>(at), '\n') + 1;
        report(file, static_cast<int>(line), "sans_io",
               "a sans-IO folder does not call " + std::string{call});
      }
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
  return Checker{tree}.run();
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
