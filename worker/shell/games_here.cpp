#include "worker/shell/games_here.hpp"

#include <filesystem>
#include <optional>
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

  // Checks a program: the first entry of the list at `key`. An empty list has no program.
  void program(const std::string& key) {
    const std::string first = config::entry_key(key, 0);
    const std::string* const name = text_at(first);
    if (name == nullptr) return;
    const auto found = process::find_program(*name, process::program_folders());
    const auto why = found.path.empty() ? found.problem : no_entry(found.path);
    if (why.empty()) return;
    report(first, "must name a program that can be executed, is \"" + *name + "\": " + why);
  }

  void folder(const std::string& key) {
    const std::string* const path = text_at(key);
    if (path == nullptr) return;
    std::error_code error;
    const bool is_folder = std::filesystem::is_directory(*path, error);
    const auto why = is_folder ? no_entry(*path) : error ? error.message() : "it is no folder";
    if (why.empty()) return;
    report(key, "must be a folder of this machine, is \"" + *path + "\": " + why);
  }

  void user(const std::string& user_key, const std::string& group_key) {
    if (const auto* const name = text_at(user_key)) judge(user_key, find_user(*name, ""));
    if (const auto* const name = text_at(group_key)) judge(group_key, find_user("", *name));
  }

  // The next checks run as the user of this entry's games.
  void is_for_games_of(const std::string& entry) {
    const auto text = [&](const std::string& key) {
      const auto* const given = text_at(entry + key);
      return given == nullptr ? std::string{} : *given;
    };
    const Json* const first = config::find(document_.root(), "rooms.users.first");
    const bool own = first != nullptr && first->is_number_integer() && *first != 0;
    const auto found = own ? own_user(first->get<uid_t>(), text(".group"))
                           : find_user(text(".user"), text(".group"));
    const auto* const user = std::get_if<std::optional<keeper::Plan::User>>(&found);
    user_ = user == nullptr ? std::nullopt : *user;
  }
  void is_for_the_worker() { user_.reset(); }

 private:
  [[nodiscard]] std::string no_entry(const std::string& path) const {
    return user_ ? why_no_entry(*user_, path) : std::string{};
  }

  // Returns null if the text is missing or cannot be checked yet.
  [[nodiscard]] const std::string* text_at(const std::string& key) const {
    const Json* const value = config::find(document_.root(), key);
    if (value == nullptr || !value->is_string() || !config::sound(known_, key)) return nullptr;
    const auto& text = value->get_ref<const std::string&>();
    return text.empty() || text.find('{') != std::string::npos ? nullptr : &text;
  }

  void judge(const std::string& key, const auto& found) {
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
  std::optional<keeper::Plan::User> user_;
};

// Returns the keys of all entries of `games` that are objects and need programs of this machine.
std::vector<std::string> entries(const Document& document) {
  std::vector<std::string> keys;
  const Json* const games = config::find(document.root(), "games");
  if (games == nullptr || !games->is_array()) return keys;
  for (std::size_t i = 0; i < games->size(); ++i) {
    if (!games->at(i).is_object()) continue;
    // Skips games in containers and pods: an image contains everything that its game needs.
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
    check.is_for_games_of(key);
    check.program(key + ".command");
    check.is_for_the_worker();
    check.program(key + ".hook.start");
  }
}

void check_needs_of_games(const Document& document, const Problems& known, Problems& problems) {
  NeedsCheck check{document, known, problems};
  for (const auto& key : entries(document)) {
    check.is_for_games_of(key);
    check.folder(key + ".working_folder");
    check.user(key + ".user", key + ".group");
    check.program(key + ".stop.command");
    const Json* const probes = config::find(document.root(), key + ".probes");
    if (probes != nullptr && probes->is_object()) {
      for (const auto& [name, probe] : probes->items()) {
        check.program(config::member_key(key + ".probes", name) + ".command");
      }
    }
    check.is_for_the_worker();
    check.program(key + ".hook.stop");
    check.program(key + ".hook.list");
  }
}

}  // namespace fixkeep::worker
