#include "common/config/sections.hpp"
#include "worker/runner/kubernetes/pod_engine.hpp"
#include "worker/runner/kubernetes/pod_texts.hpp"
#include "worker/runner/kubernetes/relay_container.hpp"
#include "worker/runner/launch_keys.hpp"

namespace fixkeep::worker {
namespace {

constexpr std::size_t host_most = 253;

void describe_relay(config::Fields& fields, KubernetesOptions::Sdk& sdk) {
  constexpr std::size_t image_most = 255;
  fields.text("image", sdk.image, {0, image_most},
              "The image of FIX Keep, which contains fixkeep-sdk-relay. Empty: games in pods have "
              "no SDK, so games[].ready must list a probe.");
  fields.text(
      "host", sdk.host, {0, host_most, "^[^\\s/]*$", "a host name or an IP address"},
      "The host at which pods reach this worker, also after a restart: the name of a "
      "service, or an address. The worker listens at port 9359 on all addresses. Clients need "
      "the token of a room. Traffic is not encrypted.");
}

}  // namespace

void describe_kubernetes(config::Fields& fields, KubernetesOptions& options) {
  const auto in_kubernetes = fields.section(
      "kubernetes",
      "The Kubernetes cluster in which this worker's rooms run, if rooms.runner is kubernetes or "
      "agones.");
  fields.text("kubeconfig", options.kubeconfig, {},
              "A kubeconfig in JSON, from kubectl config view --raw --flatten --minify -o "
              "json. Relative to this file's folder. Empty: the service account of the "
              "worker's pod.");
  fields.text("namespace", options.name_space,
              {0, 63, "^([a-z0-9]([a-z0-9-]*[a-z0-9])?)?$",
               "a name of up to 63 lower-case letters, digits and \"-\""},
              "Namespace of the pods or servers. Empty: the namespace in the kubeconfig, or "
              "of the worker's own pod. No other worker with the same id may use this "
              "namespace.");
  fields.map("addresses", options.addresses,
             "Addresses for players. Keys are names or internal addresses (status.hostIP) of "
             "Kubernetes nodes. Default: the node's internal address.",
             [&](std::string& address) {
               fields.text(config::self, address, {1, host_most},
                           "A host name or an IP address, as in worker.address.");
             });
  const auto in_sdk =
      fields.section("sdk",
                     "The SDK for rooms in pods. Agones clients connect to localhost. A second "
                     "container in each pod therefore relays their calls to this worker.");
  describe_relay(fields, options.sdk);
}

void describe_pod(config::Fields& fields, Launch& launch) {
  using config::Json;
  describe_command(fields, launch);
  std::string& shown = launch.pod.pod_template;
  Json pod = shown.empty() ? Json::object() : Json::parse(shown);
  fields.any_object("pod", pod,
                    "The room's pod, with rooms.runner kubernetes: a template with metadata and "
                    "spec, as in a Deployment. The game is the container \"game\", or the first "
                    "container. The worker sets name, labels, annotations, restartPolicy, "
                    "environment and hostPort. command may be empty.");
  if (fields.reads() && !pod.empty())
    shown = pod.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void check_pod(const config::Document& document, const std::string& key,
               config::Problems& problems) {
  config::CrossCheck check{document, problems};
  if (!check.can_judge({key + ".pod", key + ".ports"})) return;
  const config::Json& pod = *config::find(document.root(), key + ".pod");
  if (pod.empty()) return;
  const auto names = config::find(document.root(), key + ".ports")->get<std::vector<std::string>>();
  auto problem = kubernetes::problem_of_template(pod, names);
  const auto* const image = config::find(document.root(), "rooms.kubernetes.sdk.image");
  const bool has_relay =
      image != nullptr && image->is_string() && !image->get<std::string>().empty();
  if (problem.empty() && has_relay) problem = kubernetes::problem_with_relay(pod);
  if (!problem.empty()) check.report(key + ".pod", problem);
}

}  // namespace fixkeep::worker
