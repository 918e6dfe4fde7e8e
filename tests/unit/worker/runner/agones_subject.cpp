// The runner of fleets, for the suite: on servers of what stands in for Agones, which run the
// script that the request for them brings along.
#include "tests/fleets/agones_stand_in.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <stdexcept>

#include "common/net/kubernetes/api_client.hpp"
#include "tests/unit/worker/runner/runner_subject.hpp"
#include "worker/runner/agones/agones_engine.hpp"
#include "worker/runner/agones/fleet_texts.hpp"

namespace fixkeep::worker {
namespace {

constexpr auto space = "games";
constexpr auto fleet = "duel";

// It is a process of its own: what it forks must not have the descriptors of this one. It ends when
// this one does.
class StandInProcess {
 public:
  StandInProcess() {
    std::array<int, 2> ours{};
    std::array<int, 2> its{};
    if (::pipe(ours.data()) != 0 || ::pipe(its.data()) != 0) throw std::runtime_error{"no pipe"};
    const pid_t pid = ::fork();
    if (pid < 0) throw std::runtime_error{"cannot fork"};
    if (pid == 0) serve(ours[1], its[0]);
    ::close(ours[1]);
    ::close(its[0]);
    for (char c = 0; ::read(ours[0], &c, 1) == 1 && c != '\n';) kubeconfig.push_back(c);
    ::close(ours[0]);
  }

  std::string kubeconfig;

 private:
  [[noreturn]] static void serve(int tell, int until) {
    ::dup2(tell, 3);
    ::dup2(until, 4);
    ::close_range(5, ~0U, 0);
    {
      const test::AgonesStandIn it{{.api = {}, .space = space, .fleet = fleet, .replicas = 25}};
      const std::string line = it.kubeconfig() + "\n";
      (void)!::write(3, line.data(), line.size());
      ::close(3);
      char c = 0;
      (void)!::read(4, &c, 1);
    }
    ::_exit(0);
  }
};

const std::string& stand_in() {
  static const StandInProcess it;
  return it.kubeconfig;
}

kubernetes::Access access() {
  return std::get<kubernetes::Access>(kubernetes::parse_kubeconfig(stand_in(), "/"));
}

RunnerOptions options_in(const std::string& folder) {
  std::ofstream{folder + "/cluster.json"} << stand_in();
  RunnerOptions options;
  options.cluster = "test";
  options.worker = WorkerId{"w1"};
  options.state_folder = folder + "/state";
  options.kubernetes.kubeconfig = folder + "/cluster.json";
  options.fleets = {fleet};
  return options;
}

Launch fleet_launch(const std::string& folder, const std::string& room,
                    std::vector<std::string> fleets, const std::string& script) {
  Launch launch;
  launch.name = room;
  launch.object = "fixkeep-test-" + room;
  launch.fleets = std::move(fleets);
  launch.game.environment = {"FIXKEEP_ROOM_ID=" + room, "SCRIPT=" + script, "OUT=" + folder};
  launch.alone = std::chrono::minutes{1};
  return launch;
}

std::vector<agones::FleetServer> servers_of(const Launch& launch) {
  const auto answer = kubernetes::ask_and_wait(
      access(),
      {.target = agones::servers_in(space).collection() +
                 kubernetes::query({{"labelSelector", agones::selector_of_room(launch.object)}})},
      std::chrono::seconds{60});
  if (answer.status != 200) throw std::runtime_error{"no list: " + answer.body};
  std::vector<agones::FleetServer> servers;
  const auto list = kubernetes::Json::parse(answer.body);
  for (const auto& each : list.at("items")) {
    servers.push_back(agones::read_server(each).value());
  }
  return servers;
}

}  // namespace

RunnerSubject agones_subject() {
  return {.name = "agones",
          .make =
              [](boost::asio::io_context& context, const std::string& folder) {
                return make_agones_runner(context, options_in(folder),
                                          {.first_pause = std::chrono::milliseconds{50},
                                           .shown_within = std::chrono::seconds{1}});
              },
          .launch =
              [](const std::string& folder, const std::string& room, const std::string& script) {
                return fleet_launch(folder, room, {fleet}, script);
              },
          .broken = [](const std::string& folder,
                       const std::string& room) { return fleet_launch(folder, room, {}, "true"); },
          .exists =
              [](const std::string&, const Launch& launch) {
                const auto servers = servers_of(launch);
                return std::any_of(servers.begin(), servers.end(),
                                   [](const auto& each) { return !each.deleted; });
              },
          .remove =
              [](const std::string&, const Launch& launch) {
                for (const auto& each : servers_of(launch)) {
                  (void)kubernetes::ask_and_wait(
                      access(),
                      {.method = "DELETE", .target = agones::servers_in(space).item(each.name)},
                      std::chrono::seconds{60});
                }
              },
          .tells_how = false,
          .waits = false};
}

}  // namespace fixkeep::worker
