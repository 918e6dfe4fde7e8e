// How large a class is, and which unit is too small to stand alone. Of the product only.
#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "tests/tidy/rules.hpp"
#include "tests/tidy/text.hpp"

namespace fixkeep::tidy {
namespace {

constexpr std::size_t most_methods = 60;   // defined outside of the class
constexpr std::size_t most_files = 4;      // that define them
constexpr std::size_t most_booleans = 8;   // members: more of them are a state that has no name
constexpr std::size_t smallest_unit = 60;  // lines; one of fewer has more than one user

bool is_product(std::string_view path) {
  return is_cpp(path) && !is_test(path) && !path.starts_with("cmake/");
}

struct Spread {
  std::set<std::string> methods;
  std::set<std::string> files;
};

class ClassChecker {
 public:
  explicit ClassChecker(const std::vector<SourceFile>& tree) : tree_(tree) {}

  std::vector<Finding> run() {
    for (const auto& file : tree_) {
      note_includes(file);
      if (!is_product(file.path)) continue;
      const auto code = code_of(file.text);
      if (!is_header(file.path)) note_methods(file, code);
      booleans(file, code);
    }
    for (const auto& [name, spread] : classes_) {
      report(name, 1, "class_methods", spread.methods.size(), most_methods, "methods of one class");
      report(name, 1, "class_files", spread.files.size(), most_files, "files of one class");
    }
    small_units();
    return std::move(findings_);
  }

 private:
  void report(const std::string& path, int line, std::string rule, std::size_t size,
              std::size_t most, const std::string& what) {
    if (size <= most) return;
    findings_.push_back({path, line, std::move(rule),
                         std::to_string(size) + " " + what + "; at most " + std::to_string(most),
                         static_cast<int>(size)});
  }

  void note_includes(const SourceFile& file) {
    static const std::regex include{R"re(^#include "([^"]+)")re"};
    for (const auto& line : lines_of(file.text)) {
      std::smatch match;
      if (line.starts_with("#include \"") && std::regex_search(line, match, include)) {
        users_[match.str(1)].insert(file.path);
      }
    }
  }

  // A definition outside of its class begins a line with a type and "Class::method(".
  void note_methods(const SourceFile& file, const std::string& code) {
    static const std::regex definition{
        R"(^[A-Za-z_][\w:<>,&*\s\[\]]*?[\s&*]((?:\w+::)+)(\w+|operator\S+)\()"
        R"(|^((?:\w+::)+)(~?\w+)\()"};
    for (const auto& line : lines_of(code)) {
      if (line.find("::") == std::string::npos || line.empty() || line.front() == ' ') continue;
      std::smatch match;
      if (!std::regex_search(line, match, definition)) continue;
      const auto group = match[1].matched ? 1 : 3;
      auto name = match.str(static_cast<std::size_t>(group));
      name.resize(name.size() - 2);
      auto& spread = classes_[parent_of(file.path) + "/" + name];
      spread.methods.insert(match.str(static_cast<std::size_t>(group) + 1));
      spread.files.insert(file.path);
    }
  }

  void booleans(const SourceFile& file, const std::string& code) {
    static const std::regex begin{R"(^ *(?:class|struct) (?:\[\[\w+\]\] )?(\w+)[^;()]*\{$)"};
    static const std::regex member{R"(^ *(?:mutable )?(?:bool|std::atomic<bool>) \w+[^()]*;)"};
    struct Open {
      std::string name;
      int line = 0;
      int depth = 0;
      std::size_t count = 0;
    };
    std::vector<Open> open;
    int depth = 0;
    int number = 0;
    for (const auto& line : lines_of(code)) {
      ++number;
      std::smatch match;
      const bool begins = std::regex_search(line, match, begin);
      if (!open.empty() && depth == open.back().depth && std::regex_search(line, member)) {
        ++open.back().count;
      }
      depth += static_cast<int>(std::count(line.begin(), line.end(), '{') -
                                std::count(line.begin(), line.end(), '}'));
      if (begins) open.push_back({match.str(1), number, depth, 0});
      while (!open.empty() && depth < open.back().depth) {
        report(parent_of(file.path) + "/" + open.back().name, open.back().line, "class_booleans",
               open.back().count, most_booleans, "booleans in one class");
        open.pop_back();
      }
    }
  }

  // A few lines with one user next door are read faster where they are used.
  void small_units() {
    std::map<std::string_view, std::size_t> lines;
    for (const auto& file : tree_) {
      if (is_product(file.path)) lines[file.path] = lines_of(file.text).size();
    }
    for (const auto& [path, count] : lines) {
      if (!is_header(path)) continue;
      const auto source = std::string{path.substr(0, path.size() - 4)} + ".cpp";
      const auto own = lines.find(source);
      const auto size = count + (own == lines.end() ? 0 : own->second);
      auto users = users_[std::string{path}];
      users.erase(source);
      if (size >= smallest_unit || users.size() != 1) continue;
      if (parent_of(*users.begin()) != parent_of(path)) continue;
      findings_.push_back(
          {std::string{path}, 1, "small_unit",
           std::to_string(size) + " lines that only " + *users.begin() + " includes belong into it",
           static_cast<int>(size)});
    }
  }

  const std::vector<SourceFile>& tree_;
  std::map<std::string, Spread> classes_;
  std::map<std::string, std::set<std::string>> users_;  // of a header
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> check_classes(const std::vector<SourceFile>& tree) {
  return ClassChecker{tree}.run();
}

}  // namespace fixkeep::tidy
