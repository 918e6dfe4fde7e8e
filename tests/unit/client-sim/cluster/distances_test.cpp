// How far apart nodes are: the options that say it, the wires and the configuration that follow.
#include "client-sim/cluster/distances.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "client-sim/cluster/node_ports.hpp"
#include "client-sim/cluster/wires.hpp"
#include "client-sim/distance_options.hpp"
#include "client-sim/options.hpp"
#include "common/base/time_limits.hpp"

namespace fixkeep::client_sim {
namespace {

using nlohmann::json;

Zones zones_of(const std::string& text) {
  Zones zones;
  EXPECT_EQ(read_zones(text, zones), "");
  return zones;
}

TEST(OneWay, is_the_link_the_zones_or_what_is_given_instead) {
  const auto masters = LinkKind::between_masters;
  const auto workers = LinkKind::worker_to_master;
  Distances distances{.link_ms = 20};
  EXPECT_EQ(one_way_ms(distances, masters, 0, 5), 20);
  distances.worker_ms = 3;
  EXPECT_EQ(one_way_ms(distances, masters, 0, 1), 20);
  EXPECT_EQ(one_way_ms(distances, workers, 0, 1), 3);
  EXPECT_EQ(longest_one_way_ms(distances), 20);

  distances = {.zones = zones_of("a-b:35,a-c:80,b-c:60")};
  EXPECT_EQ(one_way_ms(distances, masters, 0, 2), 80);
  EXPECT_EQ(one_way_ms(distances, workers, 4, 2), 60) << "worker 4 stands in zone b";
  EXPECT_EQ(one_way_ms(distances, workers, 3, 0), 0) << "both stand in zone a";
  EXPECT_EQ(zone_name(distances, 4), "b");
  EXPECT_EQ(longest_one_way_ms(distances), 80);
}

TEST(Wires, join_each_two_nodes_that_are_apart) {
  ClusterOptions options{.masters = 3, .workers = 2, .distances = {.link_ms = 20}};
  options.lock_servers = {"127.0.0.1:6379"};
  const std::vector<std::uint16_t> mesh{7001, 7002, 7003};
  const auto wires = plan_wires(options, mesh);
  ASSERT_EQ(wires.size(), 3U * 2 + 3 * 1 + 2 * 3);
  EXPECT_EQ(wires[0].from, "m1");
  EXPECT_EQ(wires[0].to, "m2");
  EXPECT_EQ(wires[0].target, 7002);
  EXPECT_EQ(wires[2].to, "s1");
  EXPECT_EQ(wires[2].target, 6379);
  EXPECT_EQ(wires[9].from, "w1");

  options.distances.worker_ms = 0;
  EXPECT_EQ(plan_wires(options, mesh).size(), 3U * 2 + 3 * 1) << "workers connect directly";
  options.distances = {};
  EXPECT_TRUE(plan_wires(options, mesh).empty());
  options.most_link_ms = 80;
  const auto changeable = plan_wires(options, mesh);
  ASSERT_EQ(changeable.size(), 3U * 2 + 3 * 1 + 2 * 3) << "they may be apart later";
  EXPECT_EQ(changeable[0].one_way_ms, 0);
}

TEST(Wires, have_ports_that_nobody_else_has) {
  const ClusterOptions options{.masters = 9, .workers = 40, .distances = {.link_ms = 1}};
  PortSlots slots;
  const auto chosen = choose_ports(options, slots);
  const auto* ports = std::get_if<ClusterPorts>(&chosen);
  ASSERT_NE(ports, nullptr) << std::get<std::string>(chosen);
  std::set<std::uint16_t> taken{ports->http.begin(), ports->http.end()};
  taken.insert(ports->mesh.begin(), ports->mesh.end());
  for (const auto& wire : ports->wires) {
    EXPECT_TRUE(taken.insert(wire.listen).second) << wire.listen;
    for (const auto& rooms : ports->rooms) {
      EXPECT_TRUE(wire.listen < rooms.first || wire.listen > rooms.last);
    }
  }
  EXPECT_EQ(ports->wires.size(), 9U * 8 + 40 * 9);
}

ClusterPorts apart(const ClusterOptions& options) {
  ClusterPorts ports{.http = {8001, 8002},
                     .mesh = {7001, 7002},
                     .admin = {8181, 8182},
                     .rooms = {{9000, 9249}, {9250, 9499}},
                     .wires = plan_wires(options, {7001, 7002})};
  std::uint16_t next = 5000;
  for (auto& wire : ports.wires) wire.listen = next++;
  return ports;
}

TEST(ConfigOfADistance, names_the_wires_of_the_others_and_the_ports_of_its_own) {
  ClusterOptions options{.lock = "redis", .lock_servers = {"127.0.0.1:6379"}, .masters = 2};
  options.workers = 2;
  options.distances.link_ms = 20;
  const auto ports = apart(options);  // 5000 m1-m2, 5001 m1-s1, 5002 m2-m1, 5003 m2-s1, 5004 w1-m1
  const auto master = json::parse(master_config(options, ports, 1, "secret"));
  EXPECT_EQ(master["mesh"]["listen"], "127.0.0.1:7002");
  EXPECT_EQ(master["mesh"]["masters"][0]["address"], "127.0.0.1:5002");
  EXPECT_EQ(master["mesh"]["masters"][1]["address"], "127.0.0.1:7002");
  EXPECT_EQ(master["lock"]["servers"][0], "127.0.0.1:5003");
  const auto worker = json::parse(worker_config(options, ports, 0, "secret", "/bin/game"));
  EXPECT_EQ(worker["masters"][0]["address"], "127.0.0.1:5004");
  EXPECT_EQ(worker["masters"][1]["address"], "127.0.0.1:5005");
}

// From that they know how long to wait. A segment that is lost three times comes within the five
// round trips that they allow for.
TEST(ConfigOfADistance, tells_every_node_of_the_longest_round_trip) {
  for (const double ms : {0.5, 80.0, most_one_way_ms}) {
    ClusterOptions options{.masters = 2, .workers = 1};
    options.distances = {.link_ms = ms, .jitter_ms = ms};
    const auto told = [&] {
      const auto network = [](const std::string& config) {
        return json::parse(config).at("network").at("round_trip_ms").get<double>();
      };
      const auto master = network(master_config(options, apart(options), 0, "secret"));
      EXPECT_EQ(network(worker_config(options, apart(options), 0, "secret", "/bin/game")), master);
      EXPECT_LE(master, time_limits::round_trip_most.count());
      return master;
    };
    EXPECT_EQ(told(), 4 * ms);
    options.distances.loss_percent = 5;
    EXPECT_GE(time_limits::round_trips * (told() - 4 * ms), 7 * std::max(200.0, 4 * ms));
  }
}

TEST(ConfigOfADistance, is_that_of_one_machine_if_there_is_none) {
  const ClusterOptions options{.masters = 2, .workers = 1};
  const auto ports = apart(options);
  const auto master = json::parse(master_config(options, ports, 0, "secret"));
  EXPECT_EQ(master["mesh"]["masters"][1]["address"], "127.0.0.1:7002");
  EXPECT_EQ(master["network"]["round_trip_ms"], 0);
}

TEST(ConfigOfADistance, is_that_of_the_greatest_that_there_may_be) {
  ClusterOptions options{.masters = 2, .workers = 1};
  options.distances.link_ms = 80;
  const auto far = master_config(options, apart(options), 0, "secret");
  options.distances.link_ms = 0;
  options.most_link_ms = 80;
  EXPECT_EQ(master_config(options, apart(options), 0, "secret"), far);
}

TEST(ConfigOfADistance, names_the_file_that_games_read_their_boot_time_from) {
  ClusterOptions options{.masters = 1, .workers = 1};
  const auto command = [&options] {
    const auto worker =
        json::parse(worker_config(options, apart(options), 0, "secret", "/bin/game"));
    return worker.at("games").at(0).at("command").dump();
  };
  EXPECT_EQ(command(), R"(["/bin/game","--port","{port}","--boot-ms","500"])");
  options.boot_ms_file = "/tmp/boot-ms";
  EXPECT_EQ(command(), R"(["/bin/game","--port","{port}","--boot-ms-file","/tmp/boot-ms"])");
}

}  // namespace
}  // namespace fixkeep::client_sim
