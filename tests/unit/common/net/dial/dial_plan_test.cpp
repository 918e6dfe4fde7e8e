// Which address is tried when.
#include "common/net/dial/dial_plan.hpp"

#include <gmock/gmock.h>

#include <string>

namespace fixkeep::net {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

constexpr TimePoint began{1h};

std::vector<boost::asio::ip::address> addresses(const std::vector<std::string>& texts) {
  std::vector<boost::asio::ip::address> made;
  for (const auto& text : texts) made.push_back(boost::asio::ip::make_address(text));
  return made;
}

std::vector<std::string> order_of(const std::vector<std::string>& texts) {
  DialPlan plan{addresses(texts), began + 1s};
  std::vector<std::string> order;
  while (const auto next = plan.next(began)) order.push_back(next->address.to_string());
  return order;
}

TEST(DialPlan, gives_each_address_its_share_of_what_is_left) {
  DialPlan plan{addresses({"::1", "127.0.0.1", "127.0.0.2"}), began + 900ms};
  EXPECT_EQ(plan.next(began)->until, began + 300ms);
  EXPECT_EQ(plan.next(began + 300ms)->until, began + 600ms);
  EXPECT_EQ(plan.next(began + 600ms)->until, began + 900ms);
  EXPECT_FALSE(plan.next(began + 900ms));
}

TEST(DialPlan, what_refuses_at_once_leaves_its_share_to_the_others) {
  DialPlan plan{addresses({"::1", "127.0.0.1"}), began + 1s};
  EXPECT_EQ(plan.next(began)->until, began + 500ms);
  EXPECT_EQ(plan.next(began + 2ms)->until, began + 1s);
}

TEST(DialPlan, an_address_alone_has_all_of_the_time) {
  DialPlan plan{addresses({"127.0.0.1"}), began + 1s};
  EXPECT_EQ(plan.next(began)->until, began + 1s);
  EXPECT_FALSE(plan.next(began + 10ms));
}

TEST(DialPlan, nothing_is_tried_when_the_time_is_over) {
  DialPlan plan{addresses({"127.0.0.1"}), began};
  EXPECT_FALSE(plan.next(began));
}

TEST(DialPlan, families_alternate_from_the_one_that_the_system_prefers) {
  EXPECT_THAT(order_of({"::1", "::2", "::3", "10.0.0.1", "10.0.0.2"}),
              ElementsAre("::1", "10.0.0.1", "::2", "10.0.0.2", "::3"));
  EXPECT_THAT(order_of({"10.0.0.1", "::1", "::2"}), ElementsAre("10.0.0.1", "::1", "::2"));
}

TEST(DialPlan, tries_a_bounded_number_of_addresses_and_both_families_among_them) {
  std::vector<std::string> many;
  for (int i = 1; i <= 1000; ++i) many.push_back("2001:db8::" + std::to_string(i));
  many.emplace_back("10.0.0.1");
  const auto order = order_of(many);
  EXPECT_EQ(order.size(), DialPlan::most);
  EXPECT_EQ(order.at(1), "10.0.0.1");
}

}  // namespace
}  // namespace fixkeep::net
