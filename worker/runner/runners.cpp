#include "worker/runner/runners.hpp"

#include <algorithm>
#include <array>

#include "worker/runner/agones/agones_engine.hpp"
#include "worker/runner/containers/container_engine.hpp"
#include "worker/runner/docker/docker_engine.hpp"
#include "worker/runner/hook/hook_engine.hpp"
#include "worker/runner/kubernetes/pod_engine.hpp"
#include "worker/runner/launch_keys.hpp"
#include "worker/runner/podman/podman_engine.hpp"
#include "worker/runner/process/process_runner.hpp"

namespace fixkeep::worker {
namespace {

using Needed = RunnerKind::Needed;

constexpr std::string_view words = "is missing: must be a list, the program and its arguments";
constexpr std::array<Needed, 1> a_command{{{"command", words}}};
constexpr std::array<Needed, 3> a_hook{
    {{"hook.start", words}, {"hook.stop", words}, {"hook.list", words}}};
constexpr std::array<Needed, 1> a_docker_image{
    {{"container.image", "must be given, since rooms.runner is docker"}}};
constexpr std::array<Needed, 1> a_podman_image{
    {{"container.image", "must be given, since rooms.runner is podman"}}};
constexpr std::array<Needed, 1> a_pod{{{"pod", "must be given, since rooms.runner is kubernetes"}}};
constexpr std::array<Needed, 1> a_fleet{{{"fleets", "is missing: must name a fleet"}}};

constexpr auto runners = std::to_array<RunnerKind>({
    {"process", make_process_runner, describe_program, a_command, nullptr, true, true, true, true},
    {"docker", make_docker_runner, containers::describe_container, a_docker_image,
     containers::check_container, false, true, true, true},
    {"podman", make_podman_runner, containers::describe_container, a_podman_image,
     containers::check_container, false, true, true, true},
    {"hook", [](auto& context, const auto& options) { return make_hook_runner(context, options); },
     describe_hook, a_hook},
    {"kubernetes", make_kubernetes_runner, describe_pod, a_pod, check_pod, false, true},
    {"agones",
     [](auto& context, const auto& options) { return make_agones_runner(context, options); },
     describe_fleets, a_fleet, nullptr, false, false, false, false, true},
});

}  // namespace

std::span<const RunnerKind> all_runners() {
  return runners;
}

const RunnerKind* find_runner(std::string_view name) {
  const auto* const found = std::find_if(runners.begin(), runners.end(),
                                         [&](const auto& each) { return each.name == name; });
  return found == runners.end() ? nullptr : found;
}

}  // namespace fixkeep::worker
