#include "worker/shell/game_pod.hpp"

#include <string>

#include "common/config/sections.hpp"
#include "worker/runner/kubernetes/pod_texts.hpp"

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

void check_pods(const config::Document& document, config::Problems& problems) {
  config::CrossCheck check{document, problems};
  const Json* const games = config::find(document.root(), "games");
  if (!check.can_judge({"rooms.runner"}) || games == nullptr || !games->is_array()) return;
  const bool are_pods = *config::find(document.root(), "rooms.runner") == "kubernetes";
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
      const auto problem = kubernetes::problem_of_template(pod, names);
      if (!problem.empty()) check.report(key + ".pod", problem);
    }
  }
}

}  // namespace fixkeep::worker
