#include "client-sim/load/door.hpp"

#include <gtest/gtest.h>

namespace fixkeep::client_sim {
namespace {

using namespace std::chrono_literals;

constexpr WallTime ends{1000s};

Door refused(const char* line, std::chrono::milliseconds answered_before_end,
             std::chrono::milliseconds came_before_end, std::chrono::milliseconds own_lag = 0ms) {
  return judge_refusal(line, {.ends = ends,
                              .answered = ends - answered_before_end,
                              .own_lag = own_lag,
                              .came = ends - came_before_end});
}

TEST(Door, a_room_that_refuses_a_valid_seat_breaks_its_word) {
  EXPECT_EQ(refused("room: REFUSED no_seat", 15s, 14s), Door::turned_away);
  EXPECT_EQ(refused("room: REFUSED token_expired", 15s, 100ms), Door::turned_away);
}

TEST(Door, a_reason_that_no_time_explains_breaks_it_at_any_time) {
  for (const auto* reason : {"full", "token_forged", "malformed"}) {
    EXPECT_EQ(refused(reason, -5s, -6s), Door::turned_away) << reason;
  }
  EXPECT_EQ(judge_refusal("REFUSED no_seat", {}), Door::turned_away) << "of a seat without an end";
}

TEST(Door, a_player_that_dawdles_comes_late) {
  EXPECT_EQ(refused("REFUSED token_expired", 15s, -1s), Door::came_late);
  EXPECT_EQ(refused("REFUSED no_seat", 15s, 99ms), Door::came_late);
}

TEST(Door, a_seat_that_had_ended_when_its_answer_came_is_answered_late) {
  EXPECT_EQ(refused("REFUSED token_expired", -1ms, -2ms), Door::answered_late);
  EXPECT_EQ(refused("REFUSED no_seat", 99ms, 50ms), Door::answered_late);
}

TEST(Door, an_answer_that_may_have_been_there_for_long_is_not_blamed_on_the_cluster) {
  EXPECT_EQ(refused("REFUSED token_expired", -1s, -2s, 2s), Door::came_late);
  EXPECT_EQ(refused("REFUSED token_expired", -1s, -2s, 1s), Door::answered_late);
}

}  // namespace
}  // namespace fixkeep::client_sim
