#include "common/events/journal.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace fixkeep::events {
namespace {

using nlohmann::json;

What event(int number) {
  return LockLeft{GroupKey{std::to_string(number)}};
}

std::string groups(const json& answer) {
  std::string text;
  for (const auto& line : answer.at("events")) text += line.at("group").get<std::string>() + " ";
  return text;
}

TEST(Journal, goes_on_where_a_reader_stopped) {
  Journal journal{"m1", 10};
  journal.add({}, {event(1), event(2)});
  auto answer = json::parse(journal.answer(0));
  EXPECT_EQ(answer.at("node"), "m1");
  EXPECT_EQ(groups(answer), "1 2 ");
  EXPECT_EQ(answer.at("next"), 2);
  EXPECT_EQ(groups(json::parse(journal.answer(2))), "");
  journal.add({}, {event(3)});
  answer = json::parse(journal.answer(2));
  EXPECT_EQ(groups(answer), "3 ");
  EXPECT_EQ(answer.at("missed"), 0);
}

TEST(Journal, keeps_the_newest_and_says_how_many_a_reader_has_missed) {
  Journal journal{"m1", 3};
  for (int number = 1; number <= 5; ++number) journal.add({}, {event(number)});
  const auto answer = json::parse(journal.answer(1));
  EXPECT_EQ(groups(answer), "3 4 5 ");
  EXPECT_EQ(answer.at("missed"), 1);
  EXPECT_EQ(answer.at("next"), 5);
}

TEST(Journal, tells_a_reader_of_an_earlier_run_that_it_is_ahead) {
  Journal journal{"m1", 3};
  journal.add({}, {event(1)});
  const auto answer = json::parse(journal.answer(9));
  EXPECT_EQ(answer.at("next"), 1);
  EXPECT_EQ(groups(answer), "");
}

TEST(Journal, an_answer_has_a_bound) {
  Journal journal{"m1", 3 * Journal::most_in_answer};
  for (std::size_t number = 0; number <= Journal::most_in_answer; ++number) {
    journal.add({}, {event(1)});
  }
  const auto answer = json::parse(journal.answer(0));
  EXPECT_EQ(answer.at("events").size(), Journal::most_in_answer);
  EXPECT_EQ(json::parse(journal.answer(answer.at("next"))).at("events").size(), 1U);
}

TEST(Journal, of_no_events_takes_none) {
  Journal journal{"m1", 0};
  EXPECT_FALSE(journal.open());
  journal.add({}, {event(1)});
  EXPECT_EQ(groups(json::parse(journal.answer(0))), "");
}

}  // namespace
}  // namespace fixkeep::events
