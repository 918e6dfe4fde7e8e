#include "worker/runner/agones/last_release.hpp"

#include <algorithm>
#include <thread>

#include "common/net/kubernetes/api_client.hpp"

namespace fixkeep::worker::agones {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds call_limit{5000};
constexpr milliseconds between_lists{300};

// Returns the time left for the next call, so that all calls together end at about `until`.
milliseconds left_of(Clock::time_point until) {
  const auto left = std::chrono::duration_cast<milliseconds>(until - Clock::now());
  return std::clamp(left, milliseconds{100}, call_limit);
}

// Lists the servers to release, including servers that are being removed. Nullopt: not known.
std::optional<std::vector<FleetServer>> servers_to_go(const kubernetes::Access& access,
                                                      const LastRelease& release,
                                                      milliseconds limit) {
  const auto answer = kubernetes::ask_and_wait(
      access,
      {.target = servers_in(release.space).collection() +
                 kubernetes::query({{"labelSelector", selector_of(release.owner)}})},
      limit);
  if (!has_objects(answer)) return std::nullopt;
  std::vector<FleetServer> servers;
  const auto list = kubernetes::parsed(answer.body);
  for (const auto& each : list.at("items")) {
    const auto server = read_server(each);
    if (!server || server->state == ServerState::free) continue;
    if (release.is_to_go(*server)) servers.push_back(*server);
  }
  return servers;
}

}  // namespace

std::size_t release_and_wait(const kubernetes::Access& access, const LastRelease& release) {
  const auto began = Clock::now();
  const auto until = began + release.limit;
  std::size_t left = 0;
  while (true) {
    const auto servers = servers_to_go(access, release, left_of(until));
    const auto stay = [](const FleetServer& each) { return !each.deleted; };
    if (servers) {
      left = static_cast<std::size_t>(std::count_if(servers->begin(), servers->end(), stay));
    }
    const bool all = servers && servers->empty() && Clock::now() >= began + release.look_for;
    if (all || Clock::now() >= until) return left;
    for (const FleetServer& each : servers.value_or(std::vector<FleetServer>{})) {
      if (each.deleted || Clock::now() >= until) continue;
      (void)kubernetes::ask_and_wait(
          access, agones::release(release.space, {.server = each, .only_name = false}),
          left_of(until));
    }
    std::this_thread::sleep_for(between_lists);
  }
}

}  // namespace fixkeep::worker::agones
