// How the waiting claims of all masters come together.
#include "master/core/pools/gathering.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <utility>
#include <vector>

namespace fixkeep::master {
namespace {

using std::chrono::seconds;
using testing::UnorderedElementsAre;
using Heard = Gathering::Heard;

constexpr MasterId m1{1};
constexpr MasterId m2{2};
constexpr FencingToken hold{5, m1};
constexpr TimePoint now{seconds{1'000}};

ClaimsPart part(std::uint32_t index, bool last, const std::vector<std::uint64_t>& ids) {
  ClaimsPart part{hold, index, last, {}};
  for (const std::uint64_t id : ids) {
    plan::Ticket ticket;
    ticket.id = TicketId{id};
    ticket.members.push_back({PlayerHash{id}, 0});
    part.claims.push_back({ticket, seconds{static_cast<std::int64_t>(id)}});
  }
  return part;
}

struct TwoMasters {
  TwoMasters() { gathering.begin(hold, {m1, m2}); }
  std::vector<std::pair<Gathering::Lender, TimePoint>> lent() const {
    std::vector<std::pair<Gathering::Lender, TimePoint>> found;
    gathering.tickets().each([&](const plan::Ticket& ticket) {
      found.emplace_back(gathering.lender(ticket.id), ticket.since);
    });
    return found;
  }
  Gathering gathering;
};

TEST(Gathering, waits_for_the_last_part_of_every_master) {
  TwoMasters two;
  EXPECT_FALSE(two.gathering.complete());
  EXPECT_EQ(two.gathering.heard(m1, part(0, true, {1}), now), Heard::counted);
  EXPECT_FALSE(two.gathering.complete());
  EXPECT_EQ(two.gathering.heard(m2, part(0, false, {1}), now), Heard::counted);
  EXPECT_FALSE(two.gathering.complete());
  EXPECT_EQ(two.gathering.heard(m2, part(1, true, {2}), now), Heard::counted);
  EXPECT_TRUE(two.gathering.complete());
}

TEST(Gathering, counts_waiting_times_back_from_its_own_clock) {
  TwoMasters two;
  (void)two.gathering.heard(m1, part(0, true, {3}), now);
  (void)two.gathering.heard(m2, part(0, true, {3}), now + seconds{1});
  using Lent = std::pair<Gathering::Lender, TimePoint>;
  const auto lent = [](MasterId master, TimePoint since) {
    return Lent{{master, TicketId{3}, {}, {}, false, since}, since};
  };
  EXPECT_THAT(two.lent(),
              UnorderedElementsAre(lent(m1, now - seconds{3}), lent(m2, now - seconds{2})));
}

TEST(Gathering, names_claims_alike_in_whatever_order_masters_answer) {
  TwoMasters one;
  (void)one.gathering.heard(m1, part(0, true, {3}), now);
  (void)one.gathering.heard(m2, part(0, true, {4}), now);
  TwoMasters other;
  (void)other.gathering.heard(m2, part(0, true, {4}), now);
  (void)other.gathering.heard(m1, part(0, true, {3}), now);
  one.gathering.tickets().each([&](const plan::Ticket& ticket) {
    EXPECT_EQ(other.gathering.lender(ticket.id), one.gathering.lender(ticket.id));
  });
}

TEST(Gathering, gives_back_what_a_master_lent_whose_link_broke) {
  TwoMasters two;
  (void)two.gathering.heard(m1, part(0, true, {1}), now);
  (void)two.gathering.heard(m2, part(0, true, {2}), now);
  two.gathering.gone(m2);
  EXPECT_EQ(two.gathering.tickets().size(), 1U);
  EXPECT_FALSE(two.gathering.counts(m2));
  EXPECT_EQ(two.gathering.heard(m2, part(0, true, {2}), now), Heard::ignored);
}

TEST(Gathering, goes_on_at_the_very_claim_before_which_the_last_plan_ended) {
  TwoMasters two;
  (void)two.gathering.heard(m1, part(0, true, {5}), now);
  (void)two.gathering.heard(m2, part(0, true, {5, 9}), now);
  const plan::Cursor at = two.gathering.cursor({m2, TicketId{5}});
  EXPECT_EQ(two.gathering.lender(at.id).master, m2) << "both came at the same time";
  EXPECT_EQ(two.gathering.lender(at.id).ticket, TicketId{5});
  EXPECT_EQ(at.since, now - seconds{5});
}

TEST(Gathering, goes_on_at_those_who_came_later_when_that_claim_has_ended) {
  TwoMasters two;
  (void)two.gathering.heard(m1, part(0, true, {5}), now);
  Gathering::Lender ended{m1, TicketId{4}};
  ended.since = now - seconds{7};
  EXPECT_EQ(two.gathering.cursor(ended), (plan::Cursor{now - seconds{7}, TicketId{}}));
}

TEST(Gathering, leaves_out_who_is_late) {
  TwoMasters two;
  (void)two.gathering.heard(m1, part(0, true, {1}), now);
  (void)two.gathering.heard(m2, part(0, false, {2}), now);
  two.gathering.give_up_waiting();
  EXPECT_TRUE(two.gathering.complete());
  EXPECT_TRUE(two.gathering.counts(m1));
  EXPECT_FALSE(two.gathering.counts(m2));
  EXPECT_EQ(two.gathering.tickets().size(), 1U);
}

TEST(Gathering, ignores_what_is_said_to_another_hold) {
  TwoMasters two;
  ClaimsPart late = part(0, true, {1});
  late.hold = {4, m2};
  EXPECT_EQ(two.gathering.heard(m1, std::move(late), now), Heard::ignored);
  EXPECT_EQ(two.gathering.tickets().size(), 0U);
}

TEST(Gathering, refuses_what_is_not_in_the_protocol) {
  TwoMasters two;
  EXPECT_EQ(two.gathering.heard(m1, part(1, true, {1}), now), Heard::broken) << "the second first";
  EXPECT_EQ(two.gathering.heard(m1, part(0, true, {1, 1}), now), Heard::broken) << "one twice";
  ClaimsPart young = part(0, true, {1});
  young.claims[0].waited = seconds{-1};
  EXPECT_EQ(two.gathering.heard(m1, std::move(young), now), Heard::broken);
  EXPECT_EQ(two.gathering.heard(m1, part(0, true, {}), now), Heard::counted);
  EXPECT_EQ(two.gathering.heard(m1, part(1, true, {1}), now), Heard::broken) << "after the last";
  std::vector<std::uint64_t> many(ClaimsPart::part_most + 1);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = i;
  EXPECT_EQ(two.gathering.heard(m2, part(0, true, many), now), Heard::broken);
}

}  // namespace
}  // namespace fixkeep::master
