#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/printable.hpp"
#include "common/config/sections.hpp"
#include "common/config/suggestion.hpp"
#include "worker/shell/game_description.hpp"
#include "worker/shell/game_probes.hpp"

namespace fixkeep::worker {
namespace {

using config::CrossCheck;
using config::Document;
using config::Json;
using config::Problems;

constexpr std::size_t most_labels = 32;  // half of a room's limit

bool is_variable_name(std::string_view name) {
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return c < 0x80 && (std::isalnum(c) != 0 || c == '_');
         });
}

// Checks one entry of `games`.
class GameCheck {
 public:
  GameCheck(const Document& document, std::size_t index, Problems& problems)
      : document_(document),
        problems_(problems),
        check_(document, problems),
        entry_(config::find(document.root(), "games")->at(index)),
        key_(config::entry_key("games", index)) {}

  void run() {
    check_attributes();
    check_environment();
    check_labels();
    check_command(key_ + ".command");
    check_command(key_ + ".stop.command");
    for (const char* each : {".hook.start", ".hook.stop", ".hook.list"}) check_command(key_ + each);
    check_files();
    check_what_is_asked();
    check_reconnect();
    if (check_.can_judge({key_ + ".working_folder"})) {
      check_text(key_ + ".working_folder", entry_.at("working_folder"), TextPlace::folder);
    }
  }

 private:
  void check_attributes() {
    judges_attributes_ = check_.can_judge({key_ + ".attributes"});
    if (!judges_attributes_) return;
    for (const auto& [name, rule] : entry_.at("attributes").items()) {
      const std::string key = attribute_key(name);
      const Json values = rule.value("values", Json::array());
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (is_printable(values[i].get_ref<const std::string&>())) continue;
        check_.report(config::entry_key(key + ".values", i),
                      "must be UTF-8 without control characters");
      }
      if (rule.contains("values") == rule.contains("pattern")) {
        check_.report(key, "must have either values or pattern");
      } else if (rule.contains("pattern")) {
        const auto [parsed, problem] = AttributeRule::matching(rule.at("pattern"));
        if (!parsed) check_.report(key + ".pattern", "must be a regular expression: " + problem);
      }
    }
  }

  void check_environment() {
    if (!check_.can_judge({key_ + ".environment"})) return;
    for (const auto& [name, value] : entry_.at("environment").items()) {
      const std::string key = config::member_key(key_ + ".environment", name);
      if (!is_variable_name(name)) {
        check_.report(key, "must be named with letters, digits and \"_\", not a digit first");
      } else if (name.starts_with("FIXKEEP_")) {
        check_.report(key, "must not begin with FIXKEEP_: these are set by the worker");
      } else {
        check_text(key, value, TextPlace::variable);
      }
    }
  }

  // Refuses, among others, labels with the prefixes that are reserved for the worker and for the
  // running game.
  void check_labels() {
    if (!check_.can_judge({key_ + ".labels"})) return;
    const Json& labels = entry_.at("labels");
    if (labels.size() > most_labels) {
      check_.report(key_ + ".labels", "must have at most " + std::to_string(most_labels) +
                                          " labels, has " + std::to_string(labels.size()));
    }
    for (const auto& [name, value] : labels.items()) {
      const std::string key = config::member_key(key_ + ".labels", name);
      const auto wrong_name = problem_of_qualified_name(name);
      const auto wrong_value = problem_of_label_value(value.get_ref<const std::string&>());
      if (!wrong_name.empty()) check_.report(key, "is no name of a label: " + wrong_name);
      if (name.starts_with("fixkeep/") || name.starts_with(Metadata::prefix)) {
        check_.report(key, "must not begin with fixkeep/ or " + std::string{Metadata::prefix} +
                               ": those are set by the worker and by the game");
      }
      if (!wrong_value.empty()) check_.report(key, "is no value of a label: " + wrong_value);
    }
  }

  void check_command(const std::string& key) {
    if (!check_.can_judge({key})) return;
    const Json& command = *config::find(entry_, key.substr(key_.size() + 1));
    if (!command.empty() && command.at(0).get_ref<const std::string&>().empty()) {
      check_.report(config::entry_key(key, 0), "must name a program, is empty");
    }
    check_words(key, command);
  }

  void check_files() {
    if (!check_.can_judge({key_ + ".files"})) return;
    for (const auto& [path, lines] : entry_.at("files").items()) {
      const std::string key = config::member_key(key_ + ".files", path);
      if (path.empty() || path.front() == '/' || path.back() == '/' ||
          ("/" + path + "/").find("/../") != std::string::npos) {
        check_.report(key, "must be named by a path below the room's own folder, without \"..\"");
      }
      for (const Json& line : lines) check_text(key, line, TextPlace::line);
    }
  }

  void check_what_is_asked() {
    bool right =
        check_.can_judge({key_ + ".ports"}) && config::sound(problems_, key_ + ".neighbour_ports");
    for (const char* key : asked_keys) right = right && check_.can_judge({key_ + "." + key});
    if (!right) return;
    check_probes(entry_, key_, document_, problems_);
    for (const auto& [name, probe] : entry_.at("probes").items()) {
      const auto key = config::member_key(key_ + ".probes", name) + ".command";
      check_words(key, probe.value("command", Json::array()));
    }
  }

  // If the game does not report which players leave, the worker cannot keep seats for their return.
  void check_reconnect() {
    const std::string key = key_ + ".reconnect_ms";
    if (!check_.can_judge({key, key_ + ".players"}) || check_.number(key) == 0) return;
    const auto& players = entry_.at("players").get_ref<const std::string&>();
    if (players == "sdk") return;
    check_.report(key, "must be 0 where " + key_ + ".players is not \"sdk\", is \"" + players +
                           "\": the worker cannot see that a player left");
  }

  void check_words(const std::string& key, const Json& words) {
    const auto command = words.get<std::vector<std::string>>();
    for (std::size_t i = 0; i < words.size(); ++i) {
      check_text(config::entry_key(key, i), words[i], place_in(command, i));
    }
  }

  void check_text(const std::string& key, const Json& value, TextPlace place) {
    const auto& text = value.get_ref<const std::string&>();
    if (text.find('\0') != std::string::npos) {
      check_.report(key, "must not contain a NUL character");
    }
    for (auto each = next_placeholder(text, 0); each; each = next_placeholder(text, each->end)) {
      if (each->attribute()) {
        check_attribute(key, text, *each, place);
      } else if (each->word.starts_with("port+")) {
        check_neighbour(key, std::string{each->word});
      } else if (!is_known(each->word)) {
        report_unknown(key, std::string{each->word});
      }
    }
  }

  // An unknown word in braces counts as a misspelt placeholder. Other text in braces (for example
  // JSON) is not a placeholder.
  void report_unknown(const std::string& key, const std::string& word) {
    std::string known;
    for (const auto& name : placeholders()) known += "{" + name + "}, ";
    check_.report(key,
                  "has the unknown placeholder {" + word + "}" +
                      config::suggestion(word, placeholders()) + " (known: " + known +
                      "{port:NAME} of ports, {port+N} of neighbour_ports and {group:ATTRIBUTE})");
  }

  void check_neighbour(const std::string& key, const std::string& word) {
    if (!check_.can_judge({key_ + ".neighbour_ports"})) return;
    const auto ports = entry_.at("neighbour_ports").get<std::uint32_t>();
    for (std::uint32_t i = 1; i <= ports; ++i) {
      if (word == neighbour_name(i)) return;
    }
    check_.report(key, "has {" + word + "}, and " + key_ + ".neighbour_ports is " +
                           std::to_string(ports) +
                           ": make it the highest N of {port+N}, from 1 to 8");
  }

  void check_attribute(const std::string& key, const std::string& text,
                       const Placeholder& placeholder, TextPlace place) {
    if (!judges_attributes_) return;
    const std::string name{*placeholder.attribute()};
    const Json& rules = entry_.at("attributes");
    const auto rule = rules.find(name);
    if (rule == rules.end()) {
      return check_.report(key, "has {group:" + name + "}, which players choose: add " +
                                    attribute_key(name) +
                                    " with its \"values\" (a list) or \"pattern\" (a regular "
                                    "expression for the whole value)");
    }
    const Json values = rule->value("values", Json::array());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto problem =
          misplaced(values[i].get_ref<const std::string&>(), text, placeholder, place);
      if (problem.empty()) continue;
      check_.report(
          config::entry_key(attribute_key(name) + ".values", i),
          "must not be \"" + values[i].get<std::string>() + "\", which " + problem + " in " + key);
    }
  }

  [[nodiscard]] std::string attribute_key(const std::string& name) const {
    return config::member_key(key_ + ".attributes", name);
  }

  [[nodiscard]] bool is_known(std::string_view word) const {
    const auto colon = word.find(':');
    const auto name = word.substr(0, colon);
    if (!is_variable_name(name)) return true;
    if (colon == std::string_view::npos) {
      const auto& known = placeholders();
      return std::find(known.begin(), known.end(), name) != known.end();
    }
    if (name != "port") return true;
    const Json& ports = entry_.at("ports");
    return std::find(ports.begin(), ports.end(), word.substr(colon + 1)) != ports.end();
  }

  const Document& document_;
  Problems& problems_;
  CrossCheck check_;
  const Json& entry_;
  std::string key_;
  bool judges_attributes_ = false;
};

}  // namespace

void check_games(const Document& document, Problems& problems) {
  const Json* const games = config::find(document.root(), "games");
  if (games == nullptr || !games->is_array()) return;
  for (std::size_t i = 0; i < games->size(); ++i) GameCheck{document, i, problems}.run();
}

}  // namespace fixkeep::worker
