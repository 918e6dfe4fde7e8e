#include "worker/shell/game_pod.hpp"

#include <string>

#include "common/config/sections.hpp"
#include "worker/runner/kubernetes/pod_texts.hpp"
#include "worker/runner/kubernetes/relay_container.hpp"
#include "worker/runner/runners.hpp"

namespace fixkeep::worker {

using config::Json;

PodOptions read_pod(const Json& entry) {
  const Json& pod = entry.at("pod");
  if (pod.empty()) return {};
  return {.pod_template = pod.dump(-1, ' ', false, Json::error_handler_t::replace),
          .port_names = entry.at("ports").get<std::vector<std::string>>(),
          .mode = entry.at("mode").get<std::string>()};
}

void show_pod(const PodOptions& pod, Json& shown) {
  shown["pod"] = pod.pod_template.empty() ? Json::object() : Json::parse(pod.pod_template);
}

namespace {

// Checks the settings of the SDK's relay. Returns whether pods have a relay.
bool check_relay(config::CrossCheck& check, const config::Document& document, bool are_pods) {
  const std::string key = "rooms.kubernetes.sdk";
  if (!check.can_judge({key + ".image", key + ".host"})) return false;
  const auto text = [&](const std::string& name) {
    return config::find(document.root(), key + "." + name)->get<std::string>();
  };
  if (text("image").empty()) return false;
  if (!are_pods) {
    check.report(key + ".image", "must not be given, since rooms.runner is not kubernetes");
  }
  if (text("host").empty()) check.report(key + ".host", "must be given, for pods to dial it");
  return true;
}

}  // namespace

void check_pods(const config::Document& document, config::Problems& problems) {
  config::CrossCheck check{document, problems};
  const Json* const games = config::find(document.root(), "games");
  if (!check.can_judge({"rooms.runner"}) || games == nullptr || !games->is_array()) return;
  const auto& runner = config::find(document.root(), "rooms.runner")->get_ref<const std::string&>();
  const bool are_pods = find_runner(runner)->described_by == "pod";
  const bool has_relay = check_relay(check, document, are_pods);
  for (std::size_t i = 0; i < games->size(); ++i) {
    const auto key = config::entry_key("games", i);
    if (!check.can_judge({key + ".pod", key + ".ports"})) continue;
    const Json& pod = games->at(i).at("pod");
    if (are_pods && pod.empty()) {
      check.report(key + ".pod", "must be given, since rooms.runner is kubernetes");
    } else if (!are_pods && !pod.empty()) {
      check.report(key + ".pod", "must not be given, since rooms.runner is not kubernetes");
    } else if (are_pods) {
      const auto names = games->at(i).at("ports").get<std::vector<std::string>>();
      auto problem = kubernetes::problem_of_template(pod, names);
      if (problem.empty() && has_relay) problem = kubernetes::problem_with_relay(pod);
      if (!problem.empty()) check.report(key + ".pod", problem);
    }
  }
}

}  // namespace fixkeep::worker
