#include "worker/runner/containers/container_sdk.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

namespace fixkeep::worker::containers {
namespace {

using testing::ElementsAre;

TEST(ContainerSdkTest, ports_are_those_of_agones_beside_what_is_published) {
  EXPECT_THAT(sdk_ports_beside({}), ElementsAre(9358, 9357));
  EXPECT_THAT(sdk_ports_beside({{28200, 7777}, {9358, 27015}}), ElementsAre(9358, 9357));
  EXPECT_THAT(sdk_ports_beside({{28200, 9358}}), ElementsAre(9357, 9356));
  EXPECT_THAT(sdk_ports_beside({{28200, 9357}}), ElementsAre(9358, 9356));
  EXPECT_THAT(sdk_ports_beside({{28200, 9357}, {28201, 9356}}), ElementsAre(9358, 9355));
}

// The number of a container that has ended may be another process's by now.
TEST(ContainerSdkTest, the_network_of_a_process_that_is_not_the_containers_is_not_entered) {
  for (const char* const id : {"0123456789abcdef", ""}) {
    const auto sockets = listen_inside({.id = id, .process = ::getpid()}, {0});
    ASSERT_FALSE(sockets) << id;
    EXPECT_EQ(sockets.error(), boost::system::errc::no_such_process) << id;
  }
}

TEST(ContainerSdkTest, a_container_that_has_ended_has_no_network) {
  EXPECT_FALSE(listen_inside({.id = "0123456789abcdef", .process = 0}, {0}));
}

}  // namespace
}  // namespace fixkeep::worker::containers
