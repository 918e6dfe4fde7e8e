// Who may include whom. A folder that is sans-IO includes nothing of the system either: of the
// standard library and of others only what is listed here, so that what nobody has thought of is
// refused too. And its folders include each other in one direction.
#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <regex>
#include <set>
#include <utility>

#include "tests/tidy/rules.hpp"
#include "tests/tidy/text.hpp"

namespace fixkeep::tidy {
namespace {

struct Folder {
  std::string_view path;
  std::vector<std::string_view> may_include;  // itself always
  bool sans_io = false;
  bool is_core = false;  // what it has to know it is told: it calls nobody back
};

// The one table of who may include whom; the longest path that fits counts.
const std::vector<Folder>& folders() {
  static const std::vector<Folder> table{
      {"common/base", {}, true},
      {"common/process", {"common/base"}},
      {"common/record", {"common/base"}, true},
      {"lock/core", {"common/base", "common/record"}, true},
      {"common/wire", {"common/base", "common/record", "lock/core"}, true},
      {"common/events", {"common/base", "common/wire"}, true},
      {"common/auth", {"common/base"}, true},
      {"common/auth/jwt", {"common/base", "common/auth"}},
      {"common/sync", {"common/base"}},
      {"common/config", {"common/base", "common/process"}},
      {"common/obs", {"common/base", "common/process"}},
      {"common/net",
       {"common/base", "common/record", "common/wire", "common/auth", "common/config",
        "common/obs"}},
      {"common/net/kubernetes/core", {"common/base"}, true},
      {"common/certs", {"common/base", "common/net", "common/process"}},
      {"common/web", {}},
      {"lock/engines", {"common/base", "lock/core", "common/net", "common/obs"}},
      {"common/node", {"common"}},
      {"lock/driver", {"common", "lock/core", "lock/engines"}},
      {"lock/node", {"common", "lock/core", "lock/driver", "lock/engines"}},
      {"master/rules", {"common/base"}, true},
      {"master/core",
       {"common/base", "common/wire", "common/events", "lock/core", "master/rules"},
       true,
       true},
      {"master/http", {"common", "lock/engines", "master/core", "master/rules"}},
      {"master", {"common", "lock/core", "lock/engines"}},
      {"worker/core", {"common/base", "common/wire", "common/events", "lock/core"}, true, true},
      {"worker/keeper", {"common/base", "common/process"}},
      {"worker/probe/core", {"common/base"}, true},
      {"worker/probe", {"common/base", "common/process", "common/obs", "common/net"}},
      {"worker/runner/containers",
       {"common", "worker/keeper", "worker/runner", "worker/runner/engine", "worker/sdk"}},
      {"worker/runner/docker", {"worker/runner", "worker/runner/containers"}},
      {"worker/runner/podman",
       {"common/base", "worker/keeper", "worker/runner", "worker/runner/containers"}},
      {"worker/runner/engine", {"common", "worker/runner"}},
      {"worker/runner/kubernetes",
       {"common", "worker/runner", "worker/runner/engine", "worker/sdk"}},
      {"worker/runner",
       {"common/base", "common/config", "common/wire", "common/net", "common/process", "common/obs",
        "worker/keeper", "worker/probe"}},
      {"worker/sdk", {"common"}},
      {"worker", {"common"}},
      {"ctl", {"common"}},
      {"deploy/packaging", {"common"}},
      {"client-sim/game",
       {"common/base", "common/wire", "common/net", "common/obs", "common/config", "common/auth"}},
      {"lab/relay/core", {"common/base"}, true},
      {"lab/theory", {"common/base", "lock/core", "client-sim"}},
      {"lab/web", {"common/base", "lock/core", "master/core", "worker/core"}, true},
      {"lab/relay", {"common/base", "common/net", "common/process"}},
      {"client-sim",
       {"common/base", "common/wire", "common/events", "common/net", "common/process",
        "common/config", "common/certs", "common/web"}},
      {"lab/pools",
       {"common/base", "common/wire", "common/events", "common/config", "client-sim", "lab",
        "master/modes", "master/rules"}},
      {"lab/replay",
       {"common/base", "common/config", "client-sim", "master/modes", "master/rules"}},
      {"lab",
       {"common/base", "common/wire", "common/events", "common/net", "common/process",
        "common/config", "common/certs", "common/web", "client-sim"}},
  };
  return table;
}

// What a sans-IO folder may include: of the standard library, and of others, all below a path.
constexpr std::array<std::string_view, 46> pure_headers{"algorithm",
                                                        "array",
                                                        "bit",
                                                        "bitset",
                                                        "cassert",
                                                        "cctype",
                                                        "charconv",
                                                        "chrono",
                                                        "climits",
                                                        "cmath",
                                                        "compare",
                                                        "concepts",
                                                        "cstddef",
                                                        "cstdint",
                                                        "cstring",
                                                        "deque",
                                                        "exception",
                                                        "functional",
                                                        "initializer_list",
                                                        "iterator",
                                                        "limits",
                                                        "list",
                                                        "map",
                                                        "memory",
                                                        "new",
                                                        "numbers",
                                                        "numeric",
                                                        "optional",
                                                        "queue",
                                                        "ranges",
                                                        "ratio",
                                                        "set",
                                                        "span",
                                                        "stack",
                                                        "stdexcept",
                                                        "string",
                                                        "string_view",
                                                        "tuple",
                                                        "type_traits",
                                                        "typeinfo",
                                                        "unordered_map",
                                                        "unordered_set",
                                                        "utility",
                                                        "variant",
                                                        "vector",
                                                        "version"};
constexpr std::array<std::string_view, 5> pure_libraries{"boost/system/", "fmt/",
                                                         "google/protobuf/", "nlohmann/", "re2/"};
// The standard headers above declare some of these as well.
constexpr std::array<std::string_view, 10> io_use{
    "_clock::now",  "getenv(", "std::rand(", "sleep_for(", "std::time(",
    "std::system(", "fopen(",  "printf(",    "fprintf(",   "fputs("};

bool inside(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

bool is_word_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
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

bool is_pure(std::string_view header) {
  const auto is_it = [&](std::string_view pure) { return header == pure; };
  const auto is_below = [&](std::string_view library) { return header.starts_with(library); };
  return std::any_of(pure_headers.begin(), pure_headers.end(), is_it) ||
         std::any_of(pure_libraries.begin(), pure_libraries.end(), is_below);
}

struct Include {
  int line = 0;
  bool is_own = false;  // in quotes
  std::string target;
};

std::vector<Include> includes_of(std::string_view text) {
  static const std::regex include{
      R"(^\s*#\s*(?:include|include_next|import)\s*([<"])([^>"]+)[>"])"};
  std::vector<Include> found;
  int number = 0;
  for (const auto& line : lines_of(text)) {
    ++number;
    if (line.find('#') == std::string::npos) continue;  // most of them, and a regex takes long
    std::smatch match;
    if (std::regex_search(line, match, include)) {
      found.push_back({number, match.str(1) == "\"", match.str(2)});
    }
  }
  return found;
}

using Arrows = std::map<std::string, std::set<std::string>>;  // from folder to folders

class FolderChecker {
 public:
  explicit FolderChecker(const std::vector<SourceFile>& tree) : tree_(tree) {
    for (const auto& file : tree) paths_.insert(file.path);
  }

  std::vector<Finding> run() {
    for (const auto& file : tree_) {
      if (!is_cpp(file.path)) continue;
      const auto* folder = folder_of(file.path);
      for (const auto& include : includes_of(file.text)) {
        if (include.is_own) {
          own_include(file, folder, include);
        } else if (folder && folder->sans_io && !is_pure(include.target)) {
          report(file, include.line, "sans_io",
                 "a sans-IO folder does not include <" + include.target + ">");
        } else if (folder && folder->is_core && include.target == "functional") {
          report(file, include.line, "sans_io", "a core calls nobody back: events tell it");
        }
      }
      if (folder && folder->sans_io) calls(file);
    }
    circles(arrows_);
    circles(siblings_);
    return std::move(findings_);
  }

 private:
  void report(const SourceFile& file, int line, std::string rule, std::string message) {
    findings_.push_back({file.path, line, std::move(rule), std::move(message)});
  }

  void own_include(const SourceFile& file, const Folder* folder, const Include& include) {
    const auto& target = include.target;
    if (target.ends_with(".pb.h")) return;  // generated, hence not in the tree
    if (!paths_.contains(target)) {
      report(file, include.line, "include", "\"" + target + "\" is not a path from the root");
      return;
    }
    const auto from = parent_of(file.path);
    const auto to = parent_of(target);
    const bool is_near = folder && inside(target, folder->path);
    if (is_near && folder->sans_io) {
      if (from != to) arrows_[std::string{folder->path}][from].insert(to);
    } else if (!is_test(file.path)) {
      note_siblings(from, to);
    }
    if (!folder || is_near) return;
    // A shell may include its own core.
    const auto* other = folder_of(target);
    if (other && inside(other->path, folder->path)) return;
    if (std::any_of(folder->may_include.begin(), folder->may_include.end(),
                    [&](std::string_view allowed) { return inside(target, allowed); })) {
      return;
    }
    report(file, include.line, "include",
           std::string{folder->path} + " may not include \"" + target + "\"");
  }

  // The first folders in which two paths differ are siblings, unless one path is in the other. Who
  // may include whom at the top is in the table.
  void note_siblings(std::string_view from, std::string_view to) {
    std::size_t begin = 0;  // of the names that are compared
    while (begin < from.size() && begin < to.size()) {
      const auto one = from.substr(0, from.find('/', begin));
      const auto other = to.substr(0, to.find('/', begin));
      if (one != other) {
        if (begin == 0) return;
        const std::string parent{one.substr(0, begin - 1)};
        siblings_[parent][std::string{one}].insert(std::string{other});
        return;
      }
      begin = one.size() + 1;
    }
  }

  void calls(const SourceFile& file) {
    const auto code = code_of(file.text);
    for (const auto& call : io_use) {
      for (auto at = code.find(call); at != std::string::npos; at = code.find(call, at + 1)) {
        // "snprintf(" is another function than "printf("; "steady_clock::now" has to be found.
        if (call.front() != '_' && at > 0 && is_word_character(code[at - 1])) continue;
        const auto line = std::count(code.begin(), code.begin() + static_cast<long>(at), '\n') + 1;
        report(file, static_cast<int>(line), "sans_io",
               "a sans-IO folder does not call " + std::string{call});
      }
    }
  }

  // Folders that include each other, over others too, are one circle, and one finding of their
  // layer.
  void circles(const std::map<std::string, Arrows>& layers) {
    for (const auto& [layer, arrows] : layers) {
      std::set<std::string> done;
      for (const auto& [folder, targets] : arrows) {
        if (done.contains(folder)) continue;
        std::set<std::string> circle;
        for (const auto& other : reached_from(folder, arrows)) {
          if (reached_from(other, arrows).contains(folder)) circle.insert(other);
        }
        if (circle.empty()) continue;
        done.insert(circle.begin(), circle.end());
        std::string names;
        for (const auto& name : circle) names += (names.empty() ? "" : ", ") + name;
        findings_.push_back({layer, 1, "circle", "these folders include each other: " + names,
                             static_cast<int>(circle.size())});
      }
    }
  }

  static std::set<std::string> reached_from(const std::string& folder, const Arrows& arrows) {
    std::set<std::string> reached;
    std::vector<std::string> next{folder};
    while (!next.empty()) {
      const auto at = arrows.find(next.back());
      next.pop_back();
      if (at == arrows.end()) continue;
      for (const auto& target : at->second) {
        if (reached.insert(target).second) next.push_back(target);
      }
    }
    return reached;
  }

  const std::vector<SourceFile>& tree_;
  std::set<std::string> paths_;
  std::map<std::string, Arrows> arrows_;    // of all folders of a sans-IO layer
  std::map<std::string, Arrows> siblings_;  // elsewhere, of those with one parent
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> check_folders(const std::vector<SourceFile>& tree) {
  return FolderChecker{tree}.run();
}

}  // namespace fixkeep::tidy
