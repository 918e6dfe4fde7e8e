#include "tests/pods/pod_subject.hpp"

#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "common/net/kubernetes/api_client.hpp"
#include "worker/runner/kubernetes/pod_engine.hpp"
#include "worker/runner/kubernetes/pod_texts.hpp"

namespace fixkeep::worker {
namespace test_pods {
namespace {

std::string answer_to(const std::string& method, const std::string& path, const std::string& body) {
  const auto access = fixkeep::kubernetes::find_access(cluster_folder() + "/worker.json");
  if (const auto* const why = std::get_if<std::string>(&access)) throw std::runtime_error{*why};
  const auto answer = fixkeep::kubernetes::ask_and_wait(
      std::get<0>(access),
      {.method = method, .target = "/api/v1/namespaces/games/" + path, .body = body},
      std::chrono::seconds{60});
  if (answer.status == 404) return {};
  if (answer.status == 0 || answer.status >= 500) {
    throw std::runtime_error{method + " " + path + ": " + answer.body};
  }
  return answer.body;
}

}  // namespace

std::string cluster_folder() {
  const char* const folder = std::getenv("FIXKEEP_KUBERNETES");
  if (folder == nullptr) throw std::runtime_error{"FIXKEEP_KUBERNETES is not set"};
  return folder;
}

RunnerOptions options_in(const std::string& folder) {
  RunnerOptions options;
  options.cluster = "test";
  options.worker = WorkerId{"w1"};
  options.state_folder = folder + "/state";
  options.kubernetes.kubeconfig = cluster_folder() + "/worker.json";
  options.first_port = 28'300;
  options.last_port = 28'399;
  return options;
}

// The game is not the first process of its pod, which would ignore signals that it does not handle.
Json pod_template() {
  return {{"spec",
           {{"shareProcessNamespace", true},
            {"containers", {{{"name", "game"}, {"image", image}, {"imagePullPolicy", "Never"}}}}}}};
}

Launch launch_of(const std::string& room, std::vector<std::string> command) {
  Launch launch;
  launch.name = room;
  launch.object = "fixkeep-test-" + room;
  launch.game.command = std::move(command);
  launch.game.environment = {"FIXKEEP_ROOM_ID=" + room, "OUT=/var"};
  launch.pod.pod_template = pod_template().dump();
  launch.pod.mode = "duel";
  launch.alone = std::chrono::minutes{1};
  launch.grace = std::chrono::seconds{5};
  return launch;
}

Json ask(const std::string& method, const std::string& path, const std::string& body) {
  const auto said = answer_to(method, path, body);
  return said.empty() ? Json{} : Json::parse(said, nullptr, false);
}

std::optional<kubernetes::Pod> shown(const std::string& name) {
  return kubernetes::parse_pod(ask("GET", "pods/" + name));
}

std::string log_of(const std::string& name) {
  return answer_to("GET", "pods/" + name + "/log?container=game", {});
}

void remove(const std::string& name) {
  ask("DELETE", "pods/" + name, kubernetes::delete_body({}, std::chrono::seconds{1}));
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  while (shown(name) && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds{200});
  }
}

bool kubectl(const std::string& words) {
  const auto command =
      "KUBECONFIG=" + cluster_folder() + "/admin.json kubectl " + words + " >/dev/null 2>&1";
  return std::system(command.c_str()) == 0;
}

}  // namespace test_pods

std::vector<RunnerSubject> runner_subjects() {
  using test_pods::launch_of;
  return {
      {.name = "kubernetes",
       .make =
           [](boost::asio::io_context& context, const std::string& folder) {
             return make_kubernetes_runner(context, test_pods::options_in(folder));
           },
       .launch =
           [](const std::string&, const std::string& room, const std::string& script) {
             return launch_of(room, {"/bin/sh", "-c", script});
           },
       .broken = [](const std::string&,
                    const std::string& room) { return launch_of(room, {"/no/such/program"}); },
       .exists = [](const std::string&,
                    const Launch& launch) { return test_pods::shown(launch.object).has_value(); },
       // Nobody looks into a pod without a right that workers do not have.
       .has_made =
           [](const std::string&, const Launch& launch, const std::string& file) {
             return test_pods::kubectl("-n games exec " + launch.object +
                                       " -c game -- test -e /var/" + file);
           },
       .remove = [](const std::string&, const Launch& launch) { test_pods::remove(launch.object); },
       .occupy =
           [](const std::string&, const Launch& launch) {
             auto pod = test_pods::pod_template();
             pod["kind"] = "Pod";
             pod["apiVersion"] = "v1";
             pod["metadata"]["name"] = launch.object;
             pod["spec"]["containers"][0]["command"] = {"sleep", "600"};
             test_pods::ask("POST", "pods", pod.dump());
           },
       // The kubelet of this release throws a container that it ends away before it tells how.
       .tells_how = false}};
}

}  // namespace fixkeep::worker
