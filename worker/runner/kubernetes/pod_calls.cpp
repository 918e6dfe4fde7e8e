#include "worker/runner/kubernetes/pod_calls.hpp"

#include <algorithm>
#include <set>
#include <thread>
#include <utility>

#include "worker/runner/kubernetes/pod_texts.hpp"

namespace fixkeep::worker::kubernetes {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds between_lists{200};

using engine::Ask;

}  // namespace

PodOrder pod_order(const Launch& launch, const Owner& owner, std::vector<wire::NamedPort> ports,
                   const KubernetesOptions::Sdk& sdk) {
  PodOrder order;
  order.name = launch.object;
  order.owner = owner;
  order.room = launch.name;
  order.creation = to_string(launch.creation);
  order.mode = launch.pod.mode;
  order.pod_template = launch.pod.pod_template;
  order.command = launch.game.command;
  order.ports = std::move(ports);
  order.grace = std::chrono::ceil<seconds>(launch.grace);
  order.sdk = {.image = sdk.image, .host = sdk.host, .port = relay_port, .alone = launch.alone};
  constexpr std::string_view token = "FIXKEEP_SDK_TOKEN=";
  for (const std::string& each : launch.game.environment) {
    // Only the relay sends the token to the worker. The game does not need it.
    if (each.starts_with(token)) order.sdk.token = each.substr(token.size());
    // These variables apply to the worker's machine or to an SDK that the pod does not have.
    const bool is_of_here = each.starts_with("PATH=") || each.starts_with("HOME=") ||
                            each.starts_with(token) ||
                            (sdk.image.empty() && each.starts_with("AGONES_SDK_"));
    if (!is_of_here) order.environment.push_back(each);
  }
  for (const wire::NamedPort& port : order.ports) {
    std::string name = "FIXKEEP_PORT";
    if (port.name != wire::main_port_name) name += "_" + port.name;
    for (char& c : name) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    std::replace(name.begin(), name.end(), '-', '_');
    order.environment.push_back(name + "=" + std::to_string(port.number));
  }
  return order;
}

api::ApiCall remove_call(const api::Resource& pods, const std::string& name, std::string_view uid,
                         seconds grace) {
  return {.method = "DELETE", .target = pods.item(name), .body = delete_body(uid, grace)};
}

api::ApiCall log_call(const api::Resource& pods, const PodOrder& order, bool follow) {
  std::vector<std::pair<std::string, std::string>> fields{
      {"container", game_container(Json::parse(order.pod_template, nullptr, false))},
      {"tailLines", std::to_string(log_lines)}};
  if (follow) fields.emplace_back("follow", "true");
  return {.target = pods.item(order.name, "log") + api::query(fields)};
}

api::ApiCall call_for(const api::Resource& pods, const engine::Call& call, const PodOrder& order,
                      std::string_view uid) {
  switch (call.ask) {
    case Ask::look: return {.target = pods.item(order.name)};
    case Ask::make: return {.method = "POST", .target = pods.collection(), .body = pod_body(order)};
    case Ask::read_log: return log_call(pods, order, false);
    case Ask::end:
      return remove_call(pods, order.name, uid,
                         call.hard ? kill_grace : std::max(order.grace, kill_grace));
    case Ask::remove:
      return remove_call(pods, order.name, uid, call.hard ? seconds{0} : kill_grace);
  }
  return {};
}

bool is_of(std::string_view owner_text, const Owner& owner) {
  return owner_text.starts_with(owner.cluster + " " + owner.worker + " ");
}

std::variant<std::vector<Pod>, std::string> list_and_wait(const PodSpace& space,
                                                          milliseconds limit) {
  const api::ApiCall call{.target = space.pods.collection() +
                                    api::query({{"labelSelector", labels_of(space.owner)}})};
  const auto answer = ask_and_wait(space.access, call, limit);
  const auto verdict = judge(call, answer);
  if (verdict.problem != api::ApiProblem::none) return verdict.words;
  const Json list = api::parsed(answer.body);
  const Json& items = api::at(list, "items");
  if (!items.is_array() && !items.is_null()) return "it does not answer with a list";
  std::vector<Pod> pods;
  for (const Json& item : items) {
    auto pod = parse_pod(item);
    if (pod && is_of(pod->owner, space.owner)) pods.push_back(std::move(*pod));
  }
  return pods;
}

std::size_t remove_and_wait(const PodSpace& space, const std::vector<std::string>& names,
                            milliseconds limit, milliseconds quiet) {
  const std::set<std::string> wanted{names.begin(), names.end()};
  const auto until = std::chrono::steady_clock::now() + limit;
  const auto patient_until = until - limit / 3;
  std::set<std::string> asked;
  std::size_t left = wanted.size();
  auto seen = std::chrono::steady_clock::now();  // when a pod was last seen
  while (!wanted.empty()) {
    const auto pods = list_and_wait(space, call_limit);
    if (const auto* const all = std::get_if<std::vector<Pod>>(&pods)) {
      left = 0;
      for (const Pod& pod : *all) {
        if (!wanted.contains(pod.name)) continue;
        ++left;
        seen = std::chrono::steady_clock::now();
        const bool by_force = pod.over || seen >= patient_until;
        if (!asked.insert(pod.uid + (by_force ? " by force" : "")).second) continue;
        const seconds grace = by_force ? seconds{0} : kill_grace;
        (void)ask_and_wait(space.access, remove_call(space.pods, pod.name, pod.uid, grace),
                           call_limit);
      }
    }
    const auto now = std::chrono::steady_clock::now();
    if ((left == 0 && now - seen >= quiet) || now >= until) break;
    std::this_thread::sleep_for(between_lists);
  }
  return left;
}

}  // namespace fixkeep::worker::kubernetes
