#include "worker/sdk/room_sdk.hpp"

#include <gmock/gmock.h>

#include "tests/unit/worker/sdk/sdk_room.hpp"

namespace fixkeep::worker::test {
namespace {

struct RoomSdkTest : testing::Test {
  RoomSdkTest() {
    auto started = TransportHost::start(context);
    EXPECT_TRUE(started);
    host = std::make_unique<TransportHost>(std::move(*started));
    handlers.ready = [this] { ready = true; };
    handlers.shutdown = [] {};
    handlers.changed = [] {};
    auto listeners = open_room_listeners();
    EXPECT_TRUE(listeners);
    room = std::make_unique<RoomSdk>(*host, SessionFacts{.room = "w1-1-1"}, handlers,
                                     std::move(*listeners), FromTheRoom{});
  }

  boost::asio::io_context context{1};
  std::unique_ptr<TransportHost> host;
  RoomHandlers handlers;
  bool ready = false;
  std::unique_ptr<RoomSdk> room;
};

TEST_F(RoomSdkTest, names_all_its_transports_in_the_environment) {
  EXPECT_THAT(room->variables(),
              testing::UnorderedElementsAre(testing::Key("AGONES_SDK_HTTP_PORT"),
                                            testing::Key("AGONES_SDK_GRPC_HOST"),
                                            testing::Key("AGONES_SDK_GRPC_PORT")));
}

TEST_F(RoomSdkTest, was_created_now_if_nobody_says_otherwise) {
  const auto age = std::chrono::system_clock::now() - room->session().game_server().facts.created;
  EXPECT_LT(age, std::chrono::seconds{30});
}

TEST_F(RoomSdkTest, ends_a_reservation_by_the_clock) {
  room->session().reserve(std::chrono::seconds{1});
  EXPECT_FALSE(ready);
  run_until(context, [&] { return ready; });
  EXPECT_EQ(room->session().state(), "Ready");
}

TEST_F(RoomSdkTest, ends_with_a_reservation_under_way) {
  room->session().reserve(std::chrono::seconds{1});
  room.reset();
  context.restart();
  EXPECT_GT(context.poll(), 0U) << "what was cancelled is told";
}

}  // namespace
}  // namespace fixkeep::worker::test
