// The ports of a local cluster. This program runs alone, since it takes ports that it gives back at
// once, and all that there are.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "client-sim/cluster/node_ports.hpp"
#include "client-sim/cluster/ports.hpp"

namespace fixkeep::client_sim {
namespace {

nlohmann::json example(const std::string& name) {
  std::ifstream file{"configs/" + name};
  return nlohmann::json::parse(file, nullptr, true, true);
}

TEST(PortSlots, are_never_shared_and_come_back) {
  std::uint16_t first = 0;
  {
    PortSlots one;
    PortSlots two;
    const auto a = one.take(2);
    const auto b = two.take(2);
    ASSERT_TRUE(a && b);
    EXPECT_EQ(a->last - a->first + 1, 2 * PortSlots::slot_ports);
    EXPECT_TRUE(a->last < b->first || b->last < a->first);
    EXPECT_LT(b->last, 32'768);
    first = a->first;
    EXPECT_FALSE(one.take(PortSlots::slots + 1U));
  }
  PortSlots again;
  const auto c = again.take(2);
  ASSERT_TRUE(c);
  EXPECT_LE(c->first, first) << "what was given back is free again";
}

// The usual ports of a cluster, moved to slots that this test has for itself.
UsualPorts usual_in(const PortRange& nodes, const PortRange& rooms) {
  return {.http = nodes.first,
          .mesh = static_cast<std::uint16_t>(nodes.first + 100),
          .admin = static_cast<std::uint16_t>(nodes.first + 200),
          .rooms = rooms.first};
}

TEST(PortsOfACluster, that_is_kept_are_those_of_the_examples) {
  const UsualPorts usual;
  EXPECT_EQ(usual.http, example("master.json")["http"]["port"]);
  EXPECT_EQ(usual.admin, example("master.json")["admin"]["port"]);
  EXPECT_EQ(example("master.json")["mesh"]["listen"].get<std::string>(),
            "127.0.0.1:" + std::to_string(usual.mesh));
  EXPECT_EQ(usual.rooms, example("worker.json")["rooms"]["ports"]["first"]);

  PortSlots ours;
  const auto nodes = ours.take(1);
  const auto unused = PortSlots{}.take(2);
  ASSERT_TRUE(nodes && unused);
  PortSlots slots;
  const auto ports = choose_ports({.masters = 2, .workers = 2, .usual_ports = true}, slots,
                                  usual_in(*nodes, *unused));
  const auto* chosen = std::get_if<ClusterPorts>(&ports);
  ASSERT_NE(chosen, nullptr) << std::get<std::string>(ports);
  EXPECT_EQ(chosen->http, (std::vector<std::uint16_t>{
                              nodes->first, static_cast<std::uint16_t>(nodes->first + 1)}));
  EXPECT_EQ(chosen->mesh.front(), nodes->first + 100);
  EXPECT_EQ(chosen->admin.front(), nodes->first + 200);
  EXPECT_GE(chosen->rooms.front().first, unused->first);
}

TEST(PortsOfACluster, are_others_where_somebody_listens_already) {
  PortSlots ours;
  const auto nodes = ours.take(1);
  ASSERT_TRUE(nodes);
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(static_cast<std::uint16_t>(nodes->first + 1));  // of the second master
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const void* address = &where;
  const int on = 1;  // connections of an earlier test may linger on the port
  ASSERT_EQ(::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on), 0);
  ASSERT_EQ(::bind(listener, static_cast<const sockaddr*>(address), sizeof where), 0);
  ASSERT_EQ(::listen(listener, 1), 0);

  PortSlots slots;
  const auto ports =
      choose_ports({.masters = 2, .usual_ports = true}, slots, usual_in(*nodes, {.first = 20'000}));
  ::close(listener);
  const auto* chosen = std::get_if<ClusterPorts>(&ports);
  ASSERT_NE(chosen, nullptr) << std::get<std::string>(ports);
  for (const auto port : chosen->http) EXPECT_TRUE(port < nodes->first || port > nodes->last);
}

// A reader of the README connected to the port of its example, and met a master.
TEST(PortsOfACluster, never_give_a_room_the_port_of_a_master) {
  for (const bool usual_ports : {false, true}) {
    PortSlots slots;
    const auto ports = choose_ports({.masters = 9, .usual_ports = usual_ports}, slots);
    const auto* chosen = std::get_if<ClusterPorts>(&ports);
    ASSERT_NE(chosen, nullptr) << std::get<std::string>(ports);
    ASSERT_EQ(chosen->http.size(), 9U);
    for (const auto& rooms : chosen->rooms) {
      for (const auto& list : {chosen->http, chosen->mesh, chosen->worker_admin}) {
        for (const auto port : list) EXPECT_TRUE(port < rooms.first || port > rooms.last) << port;
      }
    }
  }
}
}  // namespace
}  // namespace fixkeep::client_sim
