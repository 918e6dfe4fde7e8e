#include "worker/runner/runners.hpp"

#include <algorithm>
#include <array>

#include "worker/runner/agones/agones_engine.hpp"
#include "worker/runner/docker/docker_engine.hpp"
#include "worker/runner/hook/hook_engine.hpp"
#include "worker/runner/kubernetes/pod_engine.hpp"
#include "worker/runner/podman/podman_engine.hpp"
#include "worker/runner/process/process_runner.hpp"

namespace fixkeep::worker {
namespace {

constexpr auto runners = std::to_array<RunnerKind>({
    {"process", make_process_runner, "command", true, true, true, true},
    {"docker", make_docker_runner, "container", false, true, true, true},
    {"podman", make_podman_runner, "container", false, true, true, true},
    {"hook", [](auto& context, const auto& options) { return make_hook_runner(context, options); },
     "hook"},
    {"kubernetes", make_kubernetes_runner, "pod", false, true},
    {"agones",
     [](auto& context, const auto& options) { return make_agones_runner(context, options); },
     "fleets", false, false, false, false, true},
});

}  // namespace

std::span<const RunnerKind> all_runners() {
  return runners;
}

std::string runners_described_by(std::string_view key) {
  std::string names;
  for (const RunnerKind& each : runners) {
    if (each.described_by != key) continue;
    names.append(names.empty() ? "" : " or ").append(each.name);
  }
  return names;
}

const RunnerKind* find_runner(std::string_view name) {
  const auto* const found = std::find_if(runners.begin(), runners.end(),
                                         [&](const auto& each) { return each.name == name; });
  return found == runners.end() ? nullptr : found;
}

}  // namespace fixkeep::worker
