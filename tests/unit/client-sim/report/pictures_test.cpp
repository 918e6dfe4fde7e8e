#include "client-sim/report/run_pictures.hpp"

#include <gtest/gtest.h>

#include <set>

#include "client-sim/report/html_report.hpp"
#include "client-sim/report/room_bars.hpp"

namespace fixkeep::client_sim {
namespace {

CreationId creation(std::uint64_t number) {
  return {{number, MasterId{1}}, 0, Incarnation{1}};
}

// Room n of group n / 2; every odd one collided with the one before it if `collided`.
Timeline timeline(std::uint64_t rooms, bool collided) {
  Timeline told{.rooms = {}, .curve = {{0, 0}, {12, static_cast<double>(rooms)}}, .end_ms = 1000};
  for (std::uint64_t number = 0; number < rooms; ++number) {
    RoomLife room;
    room.group = GroupKey{"g" + std::to_string(number / 2)};
    room.creation = creation(number);
    room.master = number % 2 == 0 ? "m1" : "m2";
    room.worker = WorkerId{"w" + std::to_string(number % 6)};
    room.ordered_ms = 10;
    room.starting_ms = 12;
    room.open_ms = 500;
    if (collided && number % 2 == 1) {
      room.collided = true;
      room.other = creation(number - 1);
    }
    told.rooms.push_back(std::move(room));
  }
  return told;
}

RunResult run_of(const std::string& lock, std::uint64_t rooms, bool collided) {
  RunResult run;
  run.lock = lock;
  run.players = 16;
  run.capacity = 8;
  run.seed = 1;
  run.arrival = "burst";
  run.load_ms = 1000;
  run.verdict.rooms = rooms;
  run.verdict.ideal_rooms = 2;
  run.verdict.seated = 16;
  run.verdict.match_times = {510, 520};
  auto told = std::make_shared<Told>();
  told->timeline = timeline(rooms, collided);
  if (collided) told->first_collision = CollisionStory{.group = "g0", .nodes = {"m1", "m2"}};
  run.curve = told->timeline.curve;
  run.told = std::move(told);
  run.bill = CollisionBill{.collisions = std::vector<Collision>(collided ? rooms / 2 : 0)};
  return run;
}

const Picture* find(const std::vector<Picture>& pictures, const std::string& name) {
  for (const auto& picture : pictures) {
    if (picture.name == name) return &picture;
  }
  return nullptr;
}

TEST(RoomBars, are_bounded_and_those_that_collided_come_first) {
  auto many = timeline(200, true);
  for (std::size_t room = 0; room < 190; ++room) many.rooms[room].collided = false;
  const auto chosen = choose_rooms(many, 40);
  EXPECT_EQ(chosen.rooms.size(), 40U);
  EXPECT_EQ(chosen.left_out, 160U);
  EXPECT_EQ(chosen.collided_left_out, 0U);
  std::set<std::string> groups;
  for (const auto* room : chosen.rooms) groups.insert(room->group.text());
  for (const auto* group : {"g95", "g96", "g97", "g98", "g99"}) {
    EXPECT_TRUE(groups.contains(group))
        << group << " has a collision, and is the last to be ordered";
  }
  EXPECT_EQ(choose_rooms(timeline(200, true), 40).collided_left_out, 80U);
}

TEST(RoomBars, name_group_master_and_worker_and_what_collided) {
  const auto told = timeline(2, true);
  const auto svg = room_bars("none", told, choose_rooms(told, 40)).svg;
  EXPECT_NE(svg.find("g0  m1 → w0"), std::string::npos);
  EXPECT_NE(svg.find("g0  m2 → w1"), std::string::npos);
  EXPECT_NE(svg.find(">collided<"), std::string::npos);
  EXPECT_NE(svg.find("ordered 10.0 ms, starting 12.0 ms, open 500.0 ms, closed not in the run"),
            std::string::npos);
}

TEST(Pictures, show_the_first_collision_and_say_how_many_rooms_are_left_out) {
  const auto pictures = pictures_of({run_of("none", 100, true), run_of("redis", 2, false)}, "-x");
  EXPECT_NE(find(pictures, "first-collision-none-x"), nullptr);
  EXPECT_EQ(find(pictures, "first-collision-redis-x"), nullptr);
  const auto* bars = find(pictures, "room-bars-none-x");
  ASSERT_NE(bars, nullptr);
  EXPECT_NE(bars->words.find("Left out: 60, of which 30 collided."), std::string::npos)
      << bars->words;
  EXPECT_FALSE(bars->folded);
  EXPECT_TRUE(find(pictures, "room-bars-redis-x")->folded) << "there is nothing to see";
}

TEST(Pictures, say_when_rooms_were_polled_because_events_are_missing) {
  auto polled = run_of("load", 2, false);
  polled.told.reset();
  polled.bill.reset();
  const auto pictures = pictures_of({polled}, "");
  EXPECT_NE(find(pictures, "rooms-over-time")->words.find("events of some node are missing"),
            std::string::npos);
  EXPECT_EQ(find(pictures, "room-bars-load"), nullptr);
  EXPECT_EQ(
      find(pictures_of({run_of("none", 2, false)}, ""), "rooms-over-time")->words.find("missing"),
      std::string::npos);
}

TEST(Page, says_which_run_is_to_blame) {
  auto wrong = run_of("redis", 2, false);
  wrong.verdict.leaked_seats = 3;
  const auto page = html_report({run_of("none", 2, false), wrong}, {});
  EXPECT_NE(page.find("redis, seed 1: 3 leaked seats"), std::string::npos);
  EXPECT_LT(page.find("3 leaked seats"), page.find("Time to match"));
}

TEST(Pictures, of_many_locks_are_one_plot_each) {
  std::vector<RunResult> runs;
  for (const auto* lock : {"none", "multiphase", "redis", "etcd"})
    runs.push_back(run_of(lock, 2, false));
  EXPECT_EQ(find(pictures_of(runs, ""), "rooms-over-time")->cells.size(), 1U);
  runs.push_back(run_of("maekawa", 2, false));
  EXPECT_EQ(find(pictures_of(runs, ""), "rooms-over-time")->cells.size(), 5U);
}

TEST(Pictures, of_the_whole_page_have_names_of_their_own) {
  auto near = run_of("none", 2, false);
  near.distances = Distances{.link_ms = 0};
  auto far = run_of("none", 2, false);
  far.distances = Distances{.link_ms = 20};
  auto churn = near;
  churn.arrival = "churn";
  const auto pictures = all_pictures({near, far, churn});
  std::set<std::string> names;
  for (const auto& picture : pictures) names.insert(picture.name);
  EXPECT_EQ(names.size(), pictures.size());
  EXPECT_TRUE(names.contains("over-distance-burst"));
  EXPECT_TRUE(names.contains("rooms-made-burst-20-ms-one-way"));
  EXPECT_FALSE(names.contains("rooms-made-churn-0-ms-one-way"))
      << "how many rooms a churn needs changes all the time";
}

}  // namespace
}  // namespace fixkeep::client_sim
