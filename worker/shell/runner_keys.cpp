#include "worker/shell/runner_keys.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "common/config/sections.hpp"
#include "common/wire/room_place.hpp"
#include "worker/runner/kubernetes/pod_engine.hpp"
#include "worker/runner/runners.hpp"
#include "worker/shell/player_text.hpp"

namespace fixkeep::worker {
namespace {

using config::Json;

constexpr std::array<const char*, 4> commands{"command", "hook.start", "hook.stop", "hook.list"};

class RunnerCheck {
 public:
  RunnerCheck(const config::Document& document, std::string name, config::Problems& problems)
      : document_(document),
        problems_(problems),
        check_(document, problems),
        name_(std::move(name)),
        kind_(*find_runner(name_)) {}

  void run(const std::string& key) {
    for (const auto& [name, sentence] : kind_.needed) {
      const std::string needed = key + "." + std::string{name};
      const Json* const value = at(needed);
      if (value != nullptr && is_empty(*value)) check_.report(needed, std::string{sentence});
    }
    if (kind_.check != nullptr) kind_.check(document_, key, problems_);
    if (!kind_.is_local) check_placeholders(key);
    check_players(key);
    const Json* const reconnect = at(key + ".reconnect_ms");
    if (kind_.has_sdk && reconnect != nullptr && *reconnect != 0) {
      check_.report(key + ".reconnect_ms", "must be 0: games of the runner \"" + name_ +
                                               "\" cannot report here that a player left");
    }
    const Json* const probes = at(key + ".probes");
    if (probes == nullptr || !probes->is_object()) return;
    for (const auto& [name, probe] : probes->items()) check_probe(key, name, probe);
  }

 private:
  // Returns null if the key is missing or wrong.
  [[nodiscard]] const Json* at(const std::string& key) const {
    return config::sound(problems_, key) ? config::find(document_.root(), key) : nullptr;
  }

  static bool is_empty(const Json& value) {
    return value.is_string() ? value.get_ref<const std::string&>().empty() : value.empty();
  }

  // Checks whether the worker can see the connections that it must count. It cannot see connections
  // to another machine, or to a container in a bridge network.
  void check_players(const std::string& key) {
    const Json* const players = at(key + ".players");
    if (players == nullptr || *players != "connections") return;
    const Json* const network = at(key + ".container.network");
    const bool is_container = network != nullptr;
    if (is_container ? *network == "host" : kind_.is_local) return;
    check_.report(key + ".players",
                  "must not be connections: connections of games of the runner \"" + name_ +
                      "\" cannot be seen" + (is_container ? " without \"network\": \"host\"" : ""));
  }

  void check_placeholders(const std::string& key) {
    for (const char* each : commands) check_words(key + "." + each);
    const Json* const environment = at(key + ".environment");
    if (environment == nullptr || !environment->is_object()) return;
    for (const auto& [name, value] : environment->items()) {
      check_text(config::member_key(key + ".environment", name), value);
    }
  }

  void check_words(const std::string& key) {
    const Json* const words = at(key);
    if (words == nullptr || !words->is_array()) return;
    for (std::size_t i = 0; i < words->size(); ++i) {
      check_text(config::entry_key(key, i), words->at(i));
    }
  }

  // Refuses placeholders of the place, which is unknown before the start of the game.
  void check_text(const std::string& key, const Json& value) {
    if (!value.is_string()) return;
    const auto& text = value.get_ref<const std::string&>();
    for (auto each = next_placeholder(text, 0); each; each = next_placeholder(text, each->end)) {
      const std::string word{each->word};
      if (word != "port" && word != "folder" && word != "address" && !word.starts_with("port:") &&
          !word.starts_with("port+")) {
        continue;
      }
      check_.report(key, "has {" + word + "}, which is not known before the start has answered");
    }
  }

  void check_probe(const std::string& key, const std::string& name, const Json& probe) {
    const auto by = probe.is_object() ? probe.value("by", Json{}) : Json{};
    const auto where = config::member_key(key + ".probes", name) + ".by";
    if (by == "command" && !kind_.runs_commands) {
      check_.report(where, "must not be command: the runner \"" + name_ +
                               "\" runs no commands beside a game");
    }
    if (by == "line" && !kind_.keeps_output) {
      check_.report(
          where, "must not be line: the runner \"" + name_ + "\" hears nothing that games write");
    }
  }

  const config::Document& document_;
  config::Problems& problems_;
  config::CrossCheck check_;
  std::string name_;
  const RunnerKind& kind_;
};

}  // namespace

// Checks the settings of the SDK's relay, which only pods have.
void check_relay(const config::Document& document, const RunnerKind& kind,
                 config::Problems& problems) {
  const std::string key = "rooms.kubernetes.sdk";
  config::CrossCheck check{document, problems};
  if (!check.can_judge({key + ".image", key + ".host"})) return;
  const auto text = [&](const std::string& name) {
    return config::find(document.root(), key + "." + name)->get<std::string>();
  };
  if (text("image").empty()) return;
  if (kind.describe != describe_pod) {
    check.report(key + ".image", "must not be given, since rooms.runner is not kubernetes");
  }
  if (text("host").empty()) check.report(key + ".host", "must be given, for pods to dial it");
}

// Checks that rooms.tls can have an effect: some game has a port for TLS, and the runner can run a
// program beside a game.
void check_tls(const config::Document& document, const RunnerKind& kind,
               config::Problems& problems) {
  const std::string key = "rooms.tls.certificate";
  config::CrossCheck check{document, problems};
  const Json& games = document.root().at("games");
  if (!check.can_judge({key})) return;
  if (config::find(document.root(), key)->get_ref<const std::string&>().empty()) return;
  if (!kind.runs_commands) {
    return check.report(key, "must not be given: the runner \"" + std::string{kind.name} +
                                 "\" runs no programs beside a game");
  }
  const bool any = std::any_of(games.begin(), games.end(), [](const Json& game) {
    const Json ports = game.is_object() ? game.value("ports", Json::array()) : Json::array();
    return std::find(ports.begin(), ports.end(), wire::tls_port_name) != ports.end();
  });
  if (!any) check.report(key, "is for ports \"wss\": no entry of games has one in ports");
}

void check_runner_keys(const config::Document& document, config::Problems& problems) {
  const Json* const runner = config::find(document.root(), "rooms.runner");
  const Json* const games = config::find(document.root(), "games");
  if (runner == nullptr || !runner->is_string() || games == nullptr || !games->is_array()) return;
  const auto name = runner->get<std::string>();
  const RunnerKind* const kind = find_runner(name);
  if (kind == nullptr) return;  // the schema has reported it
  check_relay(document, *kind, problems);
  check_tls(document, *kind, problems);
  RunnerCheck check{document, name, problems};
  for (std::size_t i = 0; i < games->size(); ++i) {
    if (games->at(i).is_object()) check.run(config::entry_key("games", i));
  }
  const Json* const first = config::find(document.root(), "rooms.users.first");
  if (kind->is_local || first == nullptr || !config::sound(problems, "rooms.users.first")) return;
  if (*first == 0) return;
  problems.push_back(document.problem(
      "rooms.users.first",
      "must not be given: the runner \"" + name + "\" starts no process of this machine"));
}

}  // namespace fixkeep::worker
