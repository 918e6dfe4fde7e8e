// Which names are looked up, told in a time that does not pass by itself.
#include "common/net/dial/lookup_table.hpp"

#include <gmock/gmock.h>

#include <boost/asio/error.hpp>

namespace fixkeep::net {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Start = LookupTable::Start;

const LookupAnswer here{{}, {boost::asio::ip::make_address("127.0.0.1")}};
const LookupAnswer nowhere{boost::asio::error::host_not_found, {}};

struct Lookups : ::testing::Test {
  // True: it waits.
  bool ask(const std::string& name, LookupTable::Question question) {
    return std::holds_alternative<LookupTable::Waits>(table.ask(name, question, now));
  }
  bool refuses(const std::string& name, LookupTable::Question question) {
    return std::holds_alternative<LookupTable::Refused>(table.ask(name, question, now));
  }
  std::vector<std::string> started() {
    std::vector<std::string> names;
    while (auto due = table.next(now)) {
      names.push_back(due->name);
      running.push_back(*due);
    }
    return names;
  }

  TimePoint now{1h};
  LookupTable table{{.running = 3, .names = 4, .questions = 6, .keep = 5s, .hangs = 15s}};
  std::vector<Start> running;  // in the order in which they started
};

TEST_F(Lookups, one_that_hangs_holds_up_no_other_name) {
  EXPECT_TRUE(ask("silent", 1));
  EXPECT_TRUE(ask("lively", 2));
  EXPECT_THAT(started(), ElementsAre("silent", "lively"));
  EXPECT_THAT(table.answered(running.at(1), here, now), ElementsAre(2));
}

TEST_F(Lookups, all_who_ask_for_a_name_wait_for_one_look_up) {
  EXPECT_TRUE(ask("a", 1));
  EXPECT_TRUE(ask("a", 2));
  EXPECT_THAT(started(), ElementsAre("a"));
  EXPECT_TRUE(ask("a", 3));
  EXPECT_THAT(started(), IsEmpty());
  EXPECT_THAT(table.answered(running.at(0), here, now), ElementsAre(1, 2, 3));
  EXPECT_EQ(table.questions(), 0U);
}

TEST_F(Lookups, keep_what_they_have_found_for_a_while) {
  EXPECT_TRUE(ask("a", 1));
  (void)started();
  (void)table.answered(running.at(0), here, now);
  now += 5s - 1us;
  const auto known = table.ask("a", 2, now);
  ASSERT_TRUE(std::holds_alternative<LookupAnswer>(known));
  EXPECT_EQ(std::get<LookupAnswer>(known).addresses, here.addresses);
  now += 1us;
  EXPECT_TRUE(ask("a", 3));
  EXPECT_THAT(started(), ElementsAre("a"));
}

TEST_F(Lookups, do_not_keep_a_failure) {
  EXPECT_TRUE(ask("a", 1));
  (void)started();
  EXPECT_THAT(table.answered(running.at(0), nowhere, now), ElementsAre(1));
  EXPECT_TRUE(ask("a", 2));
  EXPECT_THAT(started(), ElementsAre("a"));
}

TEST_F(Lookups, go_on_when_nobody_waits_any_more_for_who_asks_later) {
  EXPECT_TRUE(ask("a", 1));
  (void)started();
  table.forget("a", 1);
  EXPECT_THAT(table.answered(running.at(0), here, now), IsEmpty());
  EXPECT_FALSE(ask("a", 2)) << "it is known";
}

TEST_F(Lookups, begin_anew_beside_one_that_hangs_and_only_once) {
  EXPECT_TRUE(ask("a", 1));
  EXPECT_THAT(started(), ElementsAre("a"));
  now += 15s - 1us;
  EXPECT_TRUE(ask("a", 2));
  EXPECT_THAT(started(), IsEmpty());
  now += 1us;
  EXPECT_TRUE(ask("a", 3));
  EXPECT_THAT(started(), ElementsAre("a"));
  now += 1h;
  EXPECT_TRUE(ask("a", 4));
  EXPECT_THAT(started(), IsEmpty()) << "two of a name hang, and no third one";
  EXPECT_THAT(table.answered(running.at(1), here, now), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(table.running(), 1U);
}

TEST_F(Lookups, what_an_older_one_says_at_last_does_not_count) {
  EXPECT_TRUE(ask("a", 1));
  (void)started();
  now += 15s;
  EXPECT_TRUE(ask("a", 2));
  (void)started();
  EXPECT_THAT(table.answered(running.at(1), here, now), ElementsAre(1, 2));
  EXPECT_THAT(table.answered(running.at(0), nowhere, now), IsEmpty());
  EXPECT_FALSE(ask("a", 3)) << "it is still known";
  EXPECT_EQ(table.running(), 0U);
}

TEST_F(Lookups, wait_in_their_order_when_too_many_run) {
  for (const auto& [name, question] : {std::pair{"a", 1U}, {"b", 2U}, {"c", 3U}, {"d", 4U}}) {
    EXPECT_TRUE(ask(name, question));
  }
  EXPECT_THAT(started(), ElementsAre("a", "b", "c"));
  (void)table.answered(running.at(2), nowhere, now);
  EXPECT_THAT(started(), ElementsAre("d"));
}

TEST_F(Lookups, do_not_begin_for_somebody_who_has_gone) {
  for (const auto& [name, question] : {std::pair{"a", 1U}, {"b", 2U}, {"c", 3U}, {"d", 4U}}) {
    EXPECT_TRUE(ask(name, question));
  }
  (void)started();
  table.forget("d", 4);
  (void)table.answered(running.at(0), nowhere, now);
  EXPECT_THAT(started(), IsEmpty());
}

TEST_F(Lookups, refuse_more_questions_than_are_allowed) {
  for (LookupTable::Question each = 1; each <= 6; ++each) EXPECT_TRUE(ask("a", each));
  EXPECT_TRUE(refuses("a", 7));
  table.forget("a", 6);
  EXPECT_TRUE(ask("a", 8));
}

TEST_F(Lookups, forget_old_names_for_new_ones_and_refuse_what_is_too_many) {
  for (const auto& [name, question] : {std::pair{"a", 1U}, {"b", 2U}, {"c", 3U}, {"d", 4U}}) {
    EXPECT_TRUE(ask(name, question));
  }
  (void)started();
  EXPECT_TRUE(refuses("e", 5));
  (void)table.answered(running.at(0), here, now);
  EXPECT_TRUE(refuses("e", 5)) << "a is still known";
  now += 5s;
  EXPECT_TRUE(ask("e", 5));
  EXPECT_EQ(table.names(), 4U);
}

}  // namespace
}  // namespace fixkeep::net
