#include "master/http/identity/caller_limits.hpp"

#include <gtest/gtest.h>

namespace fixkeep::master {
namespace {

using Verdict = ClientLimits::Verdict;

const TimePoint noon{std::chrono::seconds{1000}};
const ClientAddress one_address{"10.0.0.1"};
const ClientAddress another_address{"10.0.0.2"};

Caller player(const char* name) {
  return {.kind = Caller::Kind::player, .player = PlayerId{name}, .key = {}};
}

Caller service(ClientLimitOptions limits) {
  return {.kind = Caller::Kind::service,
          .player = {},
          .key = std::make_shared<const ApiKeyOptions>(
              ApiKeyOptions{.name = "back-end", .hash = {}, .modes = {}, .limits = limits})};
}

Verdict admit(CallerLimits& limits, const Caller& caller, const ClientAddress& address) {
  return limits.admit(caller, counted_as(caller, address), noon).verdict;
}

TEST(CallerLimits, a_player_is_counted_wherever_it_asks_from) {
  CallerLimits limits{{.waiting = 1}};
  EXPECT_EQ(admit(limits, player("ann"), one_address), Verdict::admitted);
  EXPECT_EQ(admit(limits, player("ann"), another_address), Verdict::too_many_waiting);
  EXPECT_EQ(admit(limits, player("bob"), another_address), Verdict::admitted);
}

TEST(CallerLimits, players_of_one_address_are_counted_together_too) {
  CallerLimits limits{{.waiting = 1}};
  EXPECT_EQ(admit(limits, player("ann"), one_address), Verdict::admitted);
  EXPECT_EQ(admit(limits, player("bob"), one_address), Verdict::too_many_waiting);
  // The refusal has taken nothing from bob.
  EXPECT_EQ(admit(limits, player("bob"), another_address), Verdict::admitted);
}

TEST(CallerLimits, what_is_done_counts_for_nobody) {
  CallerLimits limits{{.waiting = 1}};
  EXPECT_EQ(admit(limits, player("ann"), one_address), Verdict::admitted);
  limits.done(counted_as(player("ann"), one_address));
  EXPECT_EQ(admit(limits, player("bob"), one_address), Verdict::admitted);
  limits.done(counted_as(player("bob"), one_address));
  EXPECT_EQ(admit(limits, player("ann"), another_address), Verdict::admitted);
}

TEST(CallerLimits, a_service_has_limits_of_its_own_and_no_address) {
  CallerLimits limits{{.waiting = 1}};
  const Caller back_end = service({.waiting = 2});
  EXPECT_EQ(admit(limits, back_end, one_address), Verdict::admitted);
  EXPECT_EQ(admit(limits, back_end, one_address), Verdict::admitted);
  EXPECT_EQ(admit(limits, back_end, another_address), Verdict::too_many_waiting);
  EXPECT_EQ(admit(limits, Caller{}, one_address), Verdict::admitted);
}

TEST(CallerLimits, rooms_are_counted_by_key_or_else_by_address) {
  EXPECT_EQ(counted_as(Caller{}, one_address).for_rooms(), one_address);
  EXPECT_EQ(counted_as(player("ann"), one_address).for_rooms(), one_address);
  EXPECT_EQ(counted_as(service({}), one_address).for_rooms(), ClientAddress{"key back-end"});
}

}  // namespace
}  // namespace fixkeep::master
