#include "worker/core/mode_troubles.hpp"

#include "tests/unit/worker/core/host_driver.hpp"

namespace fixkeep::worker {
namespace {

using std::literals::operator""s;

struct ModeTroublesTest : testing::Test {
  ModeTroublesTest() : driver(queued()) { driver.step(MasterConnected{m1}); }

  static RoomHostOptions queued() {
    RoomHostOptions options = small_options();
    options.starts_queue = true;
    return options;
  }
  // Of the mode duel, as the last message said it; empty: nothing was said, or that nothing is.
  std::string told(const Actions& out) {
    std::string why;
    for (const auto& sent : all<SendToMaster>(out)) {
      const auto* const news = std::get_if<wire::RoomsChanged>(&sent.message);
      if (news == nullptr || !news->modes) continue;
      why.clear();
      for (const auto& each : news->modes->paused) {
        if (each.cause == wire::PauseCause::slow) why = each.reason;
      }
    }
    return why;
  }
  RoomNumber begun(std::initializer_list<int> players = {1}) {
    const auto room = driver.spawn(m1, ++driver.token, 4, players).room.number;
    driver.step(ProcessBegun{room});
    driver.batch();
    return room;
  }
  Driver driver;
};

TEST_F(ModeTroublesTest, why_a_room_is_not_ready_is_told_while_it_boots) {
  driver.why_not_ready = "it listens on 43950, not on 43326";
  const auto room = begun();
  driver.pass(5s);
  EXPECT_EQ(told(driver.batch()), "not ready: it listens on 43950, not on 43326");
  EXPECT_TRUE(driver.host.paused_modes().empty()) << "it is no pause";
  driver.pass(5s);
  EXPECT_TRUE(all<SendToMaster>(driver.batch()).empty()) << "it is told once";
  EXPECT_EQ(driver.spawn(m1, ++driver.token).outcome, wire::SpawnOutcome::accepted);
  driver.step(ProcessReady{room});
  EXPECT_EQ(told(driver.batch()), "") << "it was mended";
}

TEST_F(ModeTroublesTest, a_room_that_nobody_waits_for_any_more_says_why_it_was_not_ready) {
  driver.why_not_ready = "it listens on 43950, not on 43326";
  const auto room = begun();
  driver.release(m1, room, ReservationId{1}, {1});
  driver.pass(5s);
  std::string why;
  for (const auto& signal : all<SignalProcess>(driver.pass(5s))) why = signal.why;
  EXPECT_EQ(why,
            "it started, but no player waits for it, and is not ready: it listens on 43950, not on "
            "43326");
}

TEST_F(ModeTroublesTest, why_a_room_could_not_be_had_is_told_although_its_game_is_not_to_blame) {
  const auto room = begun();
  driver.step(ProcessExited{.room = room, .how = "there is no fleet duell", .blameless = true});
  EXPECT_EQ(told(driver.batch()), "there is no fleet duell");
  driver.pass(ModeTroubles::lasting - 1s);
  EXPECT_TRUE(all<SendToMaster>(driver.batch()).empty());
  driver.pass(1s);
  const auto sent = all<SendToMaster>(driver.batch());
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_TRUE(std::get<wire::RoomsChanged>(sent[0].message).modes->paused.empty());
}

}  // namespace
}  // namespace fixkeep::worker
