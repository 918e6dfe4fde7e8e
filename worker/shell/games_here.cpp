#include "worker/shell/games_here.hpp"

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <variant>

#include "common/process/program.hpp"
#include "worker/runner/game_user.hpp"

namespace fixkeep::worker {
namespace {

using config::Document;
using config::Json;
using config::Problems;

class NeedsCheck {
 public:
  NeedsCheck(const Document& document, const Problems& known, Problems& problems)
      : document_(document), known_(known), problems_(problems) {}

  // `key` is a list whose first entry is the program; empty: there is none.
  void program(const std::string& key) {
    const std::string first = config::entry_key(key, 0);
    const std::string* const name = text_at(first);
    if (name == nullptr) return;
    const auto found = process::find_program(*name, process::program_folders());
    if (!found.path.empty()) return;
    report(first,
           "must name a program that can be executed, is \"" + *name + "\": " + found.problem);
  }

  void folder(const std::string& key) {
    const std::string* const path = text_at(key);
    if (path == nullptr) return;
    std::error_code error;
    if (std::filesystem::is_directory(*path, error)) return;
    report(key, "must be a folder of this machine, is \"" + *path +
                    "\": " + (error ? error.message() : "it is no folder"));
  }

  void user(const std::string& user_key, const std::string& group_key) {
    if (const auto* const name = text_at(user_key)) judge(user_key, find_user(*name, ""));
    if (const auto* const name = text_at(group_key)) judge(group_key, find_user("", *name));
  }

 private:
  // Null: nothing is given, or nothing can be said of it yet.
  [[nodiscard]] const std::string* text_at(const std::string& key) const {
    const Json* const value = config::find(document_.root(), key);
    if (value == nullptr || !value->is_string() || !config::sound(known_, key)) return nullptr;
    const auto& text = value->get_ref<const std::string&>();
    return text.empty() || text.find('{') != std::string::npos ? nullptr : &text;
  }

  template <class Found>
  void judge(const std::string& key, const Found& found) {
    if (const auto* const problem = std::get_if<std::string>(&found)) {
      report(key, "cannot be used: " + *problem);
    }
  }

  void report(const std::string& key, std::string message) {
    problems_.push_back(document_.problem(key, std::move(message)));
  }

  const Document& document_;
  const Problems& known_;
  Problems& problems_;
};

// The keys of all entries of `games`, as far as they are objects.
std::vector<std::string> entries(const Document& document) {
  std::vector<std::string> keys;
  const Json* const games = config::find(document.root(), "games");
  if (games == nullptr || !games->is_array()) return keys;
  for (std::size_t i = 0; i < games->size(); ++i) {
    if (!games->at(i).is_object()) continue;
    // The image of a container has what it needs.
    const Json* const image = config::find(games->at(i), "container.image");
    if (image != nullptr && image->is_string() && !image->get_ref<const std::string&>().empty()) {
      continue;
    }
    const Json* const pod = config::find(games->at(i), "pod");
    if (pod != nullptr && pod->is_object() && !pod->empty()) continue;
    keys.push_back(config::entry_key("games", i));
  }
  return keys;
}

}  // namespace

void check_programs_of_games(const Document& document, const Problems& known, Problems& problems) {
  NeedsCheck check{document, known, problems};
  for (const auto& key : entries(document)) {
    check.program(key + ".command");
    check.program(key + ".hook.start");
  }
}

void check_needs_of_games(const Document& document, const Problems& known, Problems& problems) {
  NeedsCheck check{document, known, problems};
  for (const auto& key : entries(document)) {
    check.folder(key + ".working_folder");
    check.user(key + ".user", key + ".group");
    check.program(key + ".stop.command");
    check.program(key + ".hook.stop");
    check.program(key + ".hook.list");
    const Json* const probes = config::find(document.root(), key + ".probes");
    if (probes == nullptr || !probes->is_object()) continue;
    for (const auto& [name, probe] : probes->items()) {
      check.program(config::member_key(key + ".probes", name) + ".command");
    }
  }
}

}  // namespace fixkeep::worker
