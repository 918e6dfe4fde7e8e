#include "worker/runner/runners.hpp"

#include <algorithm>
#include <array>

#include "worker/runner/agones/agones_runner.hpp"
#include "worker/runner/docker/docker_engine.hpp"
#include "worker/runner/hook/hook_engine.hpp"
#include "worker/runner/kubernetes/pod_engine.hpp"
#include "worker/runner/process/process_runner.hpp"

namespace fixkeep::worker {
namespace {

constexpr std::array<RunnerKind, 5> runners{{
    {"process", make_process_runner, true, true, true, true},
    {"docker", make_docker_runner, false, true, true, true},
    {"hook", [](auto& context, const auto& options) { return make_hook_runner(context, options); }},
    {"kubernetes", make_kubernetes_runner, false, true},
    {"agones", make_agones_runner, false, false, false, false, true},
}};

}  // namespace

const RunnerKind* find_runner(std::string_view name) {
  const auto* const found = std::find_if(runners.begin(), runners.end(),
                                         [&](const auto& each) { return each.name == name; });
  return found == runners.end() ? nullptr : found;
}

}  // namespace fixkeep::worker
