#include "lab/replay/replay.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <variant>
#include <vector>

#include "lab/replay/optimum.hpp"

namespace fixkeep::client_sim::replay {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;

master::Mode duel() {
  return std::get<master::Mode>(master::read_rules("duel.json", R"({
    "name": "duel", "capacity": 2, "attributes": ["version"],
    "rules": {"wait_ms": 30000, "party": 1,
      "distance": [{"attribute": "rating", "steps": [
        {"after_ms": 0, "most": 50}, {"after_ms": 10000, "most": 200}]}]}})"));
}

// The arrivals of a file with these lines, or what is wrong with it.
std::variant<std::vector<Arrival>, std::string> arrivals_of(const std::string& lines) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("fixkeep-arrivals-" + std::to_string(std::hash<std::string>{}(lines)));
  std::ofstream{path} << lines;
  auto read = read_arrivals(path.string(), duel());
  std::filesystem::remove(path);
  if (auto* mistake = std::get_if<std::string>(&read)) {
    *mistake = mistake->substr(path.string().size());
  }
  return read;
}

std::string line(int at_s, int rating, const std::string& version = "1") {
  return R"({"at_ms": )" + std::to_string(at_s * 1'000) + R"(, "party": [{"rating": )" +
         std::to_string(rating) + R"(}], "attributes": {"version": ")" + version + "\"}}\n";
}

TEST(Replay, leads_recorded_arrivals_through_the_rules) {
  const auto read =
      arrivals_of(line(0, 1'000) + line(2, 1'190) + line(4, 1'030, "2") + line(5, 1'600));
  ASSERT_TRUE(std::holds_alternative<std::vector<Arrival>>(read)) << std::get<1>(read);
  const Replayed replayed = replay(*duel().rules, std::get<0>(read), {});
  ASSERT_EQ(replayed.rooms.size(), 1U);
  EXPECT_EQ(replayed.rooms[0].spread, 190);
  EXPECT_EQ(replayed.tickets[0].waited, seconds{10}) << "the limit widens then";
  EXPECT_EQ(replayed.tickets[1].waited, seconds{8});
  EXPECT_EQ(replayed.tickets[2].what, TicketEnd::What::left) << "it has another version";
  EXPECT_EQ(replayed.tickets[3].what, TicketEnd::What::left) << "nobody is near enough";
  EXPECT_EQ(replayed.tickets[3].waited, seconds{30});
}

TEST(Replay, says_which_line_is_wrong) {
  EXPECT_EQ(std::get<1>(arrivals_of(line(3, 1) + line(2, 1))),
            ":2: at_ms must not be less than in the line before");
  EXPECT_THAT(std::get<1>(arrivals_of(line(0, 1) + R"({"at_ms": 1, "party": [{}]})")),
              testing::HasSubstr(":2: "));
}

TEST(Replay, makes_the_same_day_of_the_same_seed) {
  MadeDay day{.tickets = 500, .hours = 1};
  const auto arrivals = made_arrivals(*duel().rules, day);
  ASSERT_EQ(arrivals.size(), 500U);
  EXPECT_EQ(made_arrivals(*duel().rules, day)[499].ticket, arrivals[499].ticket);
  day.seed = 2;
  EXPECT_NE(made_arrivals(*duel().rules, day)[499].ticket.sums, arrivals[499].ticket.sums);
  const Replayed replayed = replay(*duel().rules, arrivals, {});
  for (const RoomEnd& room : replayed.rooms) EXPECT_EQ(room.players, 2U);
}

TEST(Replay, draws_each_number_around_a_mean_of_its_own) {
  auto rules = *duel().rules;
  rules.party = 1;
  rules.numbers = {"rating", "level"};
  const MadeDay day{.tickets = 2'000, .hours = 1, .own = {{"level", {30, 10}}}};
  double rating = 0;
  double level = 0;
  for (const Arrival& arrival : made_arrivals(rules, day)) {
    rating += static_cast<double>(arrival.ticket.sums[0]) / 2'000;
    level += static_cast<double>(arrival.ticket.sums[1]) / 2'000;
  }
  EXPECT_NEAR(rating, 1'500, 30);
  EXPECT_NEAR(level, 30, 1);
}

TEST(Replay, reads_the_mean_and_the_deviation_of_a_number) {
  EXPECT_EQ(std::get<0>(parse_bell("level=-30,10")), (Bells::value_type{"level", {-30, 10}}));
  for (const char* wrong : {"", "level", "level=30", "=30,10", "level=30,", "level=,10",
                            "level=30,-1", "level=30,10x", "level=2000000,1"}) {
    EXPECT_THAT(std::get<1>(parse_bell(wrong)), testing::HasSubstr("NAME=MEAN,DEVIATION")) << wrong;
  }
}

// Of the made days of configs/matching between 91 and 95 of a hundred have their seats in time.
TEST(Replay, tells_a_p90_that_nine_of_ten_hold) {
  const auto mode = duel();
  const auto arrivals = made_arrivals(*mode.rules, MadeDay{.tickets = 20'000, .hours = 5});
  const Replayed replayed = replay(*mode.rules, arrivals, {});
  ASSERT_EQ(replayed.told_p90.size(), arrivals.size());
  double told = 0;
  double right = 0;
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    if (!replayed.told_p90[i]) continue;
    ++told;
    const TicketEnd& end = replayed.tickets[i];
    if (end.what == TicketEnd::What::seated && end.waited <= *replayed.told_p90[i]) ++right;
  }
  EXPECT_GT(told, 0.95 * static_cast<double>(arrivals.size()));
  EXPECT_GT(right, 0.85 * told);
  EXPECT_LT(right, 0.95 * told);
}

TEST(BestPairs, weigh_distance_against_waiting) {
  const std::vector<Point> points{
      {seconds{0}, 1'000}, {seconds{1}, 1'100}, {seconds{60}, 1'001}, {seconds{61}, 1'101}};
  EXPECT_THAT(best_pairs(points, 0.1).distances, ElementsAre(1, 1));
  EXPECT_THAT(best_pairs(points, 10).distances, ElementsAre(100, 100));
  EXPECT_DOUBLE_EQ(best_pairs(points, 10).cost, 220);
}

}  // namespace
}  // namespace fixkeep::client_sim::replay
