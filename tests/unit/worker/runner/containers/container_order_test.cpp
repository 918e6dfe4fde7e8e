#include "worker/runner/containers/container_order.hpp"

#include <gtest/gtest.h>

#include "worker/runner/containers/engine_texts.hpp"

namespace fixkeep::worker::containers {
namespace {

std::string published_at(std::string_view told_address) {
  Launch launch;
  launch.place = wire::at_port(20001);
  launch.container.publish = {{"port", 7777}};
  return container_order(launch, {"c", "w1"}, 0, told_address).published_at;
}

TEST(ContainerOrder, is_published_where_its_players_may_come_from) {
  EXPECT_EQ(published_at("127.0.0.1"), "127.0.0.1");
  EXPECT_EQ(published_at("localhost"), "127.0.0.1");
  // Players may be told a name, or the address of a router before this machine.
  for (const auto* address : {"203.0.113.7", "games.example", "::1", ""}) {
    EXPECT_EQ(published_at(address), "") << address;
  }
}

TEST(ContainerOrder, that_is_published_at_the_loopback_alone_says_so_of_every_port) {
  const ContainerOrder order{.name = "n",
                             .labels = {},
                             .image = "game:1",
                             .ports = {{20001, 7777}, {20002, 20002}},
                             .published_at = "127.0.0.1"};
  const auto body = create_body(order);
  for (const auto* part : {R"("7777/tcp":[{"HostIp":"127.0.0.1","HostPort":"20001"}])",
                           R"("7777/udp":[{"HostIp":"127.0.0.1","HostPort":"20001"}])",
                           R"("20002/tcp":[{"HostIp":"127.0.0.1","HostPort":"20002"}])",
                           R"("20002/udp":[{"HostIp":"127.0.0.1","HostPort":"20002"}])"}) {
    EXPECT_NE(body.find(part), std::string::npos) << part << " in " << body;
  }
}

}  // namespace
}  // namespace fixkeep::worker::containers
