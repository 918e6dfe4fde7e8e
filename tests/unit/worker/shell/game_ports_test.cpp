// What the core is told of places, by a runner that uses ports of this machine and by one that does
// not.
#include "worker/shell/game_ports.hpp"

#include <gtest/gtest.h>

namespace fixkeep::worker {
namespace {

struct GamePortsTest : testing::Test {
  // The last that was told, of all that came of this; nothing: nothing was told.
  std::optional<PlacesChanged> told_after(const std::function<void(GamePorts&)>& what) {
    last.reset();
    what(ports);
    context.restart();
    context.poll();
    return last;
  }

  boost::asio::io_context context;
  std::optional<PlacesChanged> last;
  GamePorts ports{context, 28'500, 28'509, [this](Event&& event) {
                    if (const auto* const told = std::get_if<PlacesChanged>(&event)) last = *told;
                  }};
};

TEST_F(GamePortsTest,
       a_runner_elsewhere_says_how_many_places_there_are_and_when_there_is_no_limit) {
  EXPECT_FALSE(told_after([](GamePorts& each) { each.limit(std::nullopt); }));
  EXPECT_FALSE(told_after([](GamePorts& each) { each.started(RoomNumber{1}); }));
  const auto none = told_after([](GamePorts& each) { each.limit(0); });
  ASSERT_TRUE(none);
  EXPECT_EQ(none->places, 0U);
  EXPECT_EQ(none->started, RoomNumber{1});
  const auto many = told_after([](GamePorts& each) { each.limit(5000); });
  ASSERT_TRUE(many);
  EXPECT_EQ(many->places, 5000U) << "ports of this machine are not counted";
  const auto again = told_after([](GamePorts& each) { each.limit(std::nullopt); });
  ASSERT_TRUE(again);
  EXPECT_EQ(again->places, std::nullopt);
}

TEST_F(GamePortsTest, a_room_that_starts_elsewhere_is_among_those_that_the_places_are_beside) {
  (void)told_after([](GamePorts& each) { each.limit(7); });
  const auto told = told_after([](GamePorts& each) {
    each.started(RoomNumber{4});
    each.started(RoomNumber{3});
  });
  ASSERT_TRUE(told);
  EXPECT_EQ(told->places, 7U);
  EXPECT_EQ(told->started, RoomNumber{4});
}

TEST_F(GamePortsTest, ports_of_this_machine_bound_what_a_runner_says) {
  const auto ports_alone = told_after([](GamePorts& each) { each.count_for({}); });
  ASSERT_TRUE(ports_alone);
  EXPECT_EQ(ports_alone->places, 10U);
  const auto limited = told_after([](GamePorts& each) { each.limit(0); });
  ASSERT_TRUE(limited);
  EXPECT_EQ(limited->places, 0U);
}

TEST_F(GamePortsTest, why_there_are_no_places_is_told_also_where_their_number_stays) {
  EXPECT_TRUE(told_after([](GamePorts& each) { each.limit(0, "the server is away"); }));
  const auto other = told_after([](GamePorts& each) { each.limit(0, "no right"); });
  ASSERT_TRUE(other);
  EXPECT_EQ(other->why, "no right");
  EXPECT_FALSE(told_after([](GamePorts& each) { each.limit(0, "no right"); }));
  const auto some = told_after([](GamePorts& each) { each.limit(5); });
  ASSERT_TRUE(some);
  EXPECT_EQ(some->why, "");
}

}  // namespace
}  // namespace fixkeep::worker
