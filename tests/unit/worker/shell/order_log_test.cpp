#include "worker/shell/order_log.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "common/obs/log.hpp"

namespace fixkeep::worker {
namespace {

using ::testing::HasSubstr;

constexpr MasterId ordering{1};
constexpr TimePoint asked_at{std::chrono::hours{1}};

class OrderLogTest : public ::testing::Test {
 protected:
  void begin(obs::LogLevel level) {
    testing::internal::CaptureStderr();
    ASSERT_TRUE(obs::start_log({.level = level, .node = "w1"}));
  }
  static std::string text() {
    obs::stop_log();
    auto told = testing::internal::GetCapturedStderr();
    (void)obs::start_log({});
    obs::stop_log();
    return told;
  }
  static std::vector<wire::Claim> two_claims() {
    return {{PlayerId{"ann"}, {PlayerId{"cat"}}, {"r1", TraceContext{{1, 2}, 3, true}}},
            {PlayerId{"bob"}, {}, {"r2", {}}}};
  }
  void ask_for_seats() {
    wire::SeatReply reply;
    reply.request = 4;
    reply.room = RoomNumber{3};
    reply.granted = {0};
    orders_.answered(wire::SeatRequest{4, RoomNumber{3}, two_claims()}, reply, asked_at);
  }
  void order(wire::SpawnOutcome outcome) {
    wire::SpawnRoom message;
    message.request = 5;
    message.group = GroupKey{"duel"};
    message.creation = {{7, ordering}, 0, Incarnation{9}};
    message.claims = two_claims();
    wire::SpawnReply reply;
    reply.request = 5;
    reply.outcome = outcome;
    reply.room.number = RoomNumber{6};
    reply.granted = {0, 1};
    orders_.answered(message, reply, asked_at);
  }

  OrderLog orders_;
};

TEST_F(OrderLogTest, tells_at_debug_which_claim_got_its_seats) {
  begin(obs::LogLevel::debug);
  ask_for_seats();
  const auto told = text();
  EXPECT_THAT(told, HasSubstr("debug w1 seats reserved room=3 players=2 request=r1 "
                              "trace=00000000000000010000000000000002\n"));
  EXPECT_THAT(told, HasSubstr("debug w1 seats refused room=3 players=1 request=r2\n"));
  EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 2) << "each once";
}

TEST_F(OrderLogTest, tells_the_seats_of_those_with_whom_a_room_is_born) {
  begin(obs::LogLevel::debug);
  order(wire::SpawnOutcome::accepted);
  const auto told = text();
  EXPECT_THAT(told, HasSubstr("seats reserved room=6 players=2 request=r1"));
  EXPECT_THAT(told, HasSubstr("seats reserved room=6 players=1 request=r2"));
}

TEST_F(OrderLogTest, tells_nothing_of_seats_at_info) {
  begin(obs::LogLevel::info);
  ask_for_seats();
  order(wire::SpawnOutcome::accepted);
  EXPECT_EQ(text(), "");
}

TEST_F(OrderLogTest, tells_an_order_that_was_refused_and_why) {
  begin(obs::LogLevel::info);
  for (int i = 0; i < 50; ++i) order(wire::SpawnOutcome::mode_paused);
  const auto told = text();
  EXPECT_THAT(told, HasSubstr("info  w1 order refused group=duel creation=7.m1.0.0000000000000009 "
                              "reason=mode-paused request=r1 "
                              "trace=00000000000000010000000000000002\n"));
  EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 10) << "and does not drown in them";
}

}  // namespace
}  // namespace fixkeep::worker
