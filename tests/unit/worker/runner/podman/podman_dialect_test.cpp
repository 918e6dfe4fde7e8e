// What is told to Podman in other words than to Docker, and what its refusals mean.
#include "worker/runner/podman/podman_dialect.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/scripts.hpp"

namespace fixkeep::worker::podman {
namespace {

using nlohmann::json;

std::string answer(std::string_view command) {
  support::Words words{command};
  const std::string word = words.next();
  if (word == "removes") return remove_target(words.rest());
  if (word == "pulls") return pull_target(words.rest());
  const auto number = static_cast<unsigned>(std::stoul(words.next()));
  const std::string rest = words.rest();
  if (word == "status") return std::to_string(dockers_status(number, rest));
  if (word == "socket") return usual_socket(number, rest.empty() ? nullptr : rest.c_str());
  return "?";
}

const bool texts_registered =
    support::register_table("tests/unit/worker/runner/podman/podman_dialect.txt", answer);

containers::ContainerOrder small_order() {
  return {.name = "fixkeep-c-1", .labels = {"c", "w1", "w1-1", "7.m1.0"}, .image = "game:1"};
}

TEST(PodmanBody, is_least_privilege_and_stays_until_its_log_was_read) {
  EXPECT_EQ(json::parse(specification(small_order())), json::parse(R"({
    "name": "fixkeep-c-1", "image": "game:1", "env": {}, "terminal": false,
    "labels": {"fixkeep.cluster": "c", "fixkeep.worker": "w1", "fixkeep.room": "w1-1",
               "fixkeep.creation": "7.m1.0"},
    "init": true, "systemd": "false", "restart_policy": "no", "cap_drop": ["all"],
    "no_new_privileges": true, "read_only_filesystem": false, "netns": {"nsmode": "bridge"},
    "log_configuration": {"driver": "none"}, "resource_limits": {},
    "volumes": [{"Name": "", "Dest": "/fixkeep"}]})"));
}

TEST(PodmanBody, has_what_the_order_says) {
  auto order = small_order();
  order.command = {"game", "--port", "7"};
  order.environment = {"A=b=c", "EMPTY="};
  order.working_folder = "/game";
  order.user = "1000:1000";
  order.ports = {{20001, 7777}};
  order.published_at = "127.0.0.1";
  order.limits = {.memory_mib = 64, .processes = 10};
  order.read_only = true;
  order.log_bytes = 4096;
  const json body = json::parse(specification(order));
  EXPECT_EQ(body["command"], json({"game", "--port", "7"}));
  EXPECT_EQ(body["env"], json({{"A", "b=c"}, {"EMPTY", ""}}));
  EXPECT_EQ(body["work_dir"], "/game");
  EXPECT_EQ(body["user"], "1000:1000");
  EXPECT_EQ(body["portmappings"], json::parse(R"([{"host_ip": "127.0.0.1", "host_port": 20001,
                                                   "container_port": 7777,
                                                   "protocol": "tcp,udp"}])"));
  EXPECT_EQ(body["resource_limits"],
            json::parse(R"({"memory": {"limit": 67108864, "swap": 67108864},
                            "pids": {"limit": 10}})"));
  EXPECT_EQ(body["read_only_filesystem"], true);
  EXPECT_EQ(body["mounts"][0]["destination"], "/tmp");
  EXPECT_EQ(body["log_configuration"], json({{"driver", "k8s-file"}, {"size", 4096}}));
  order.network = containers::Network::host;
  EXPECT_EQ(json::parse(specification(order))["netns"], json({{"nsmode", "host"}}));
}

}  // namespace
}  // namespace fixkeep::worker::podman
