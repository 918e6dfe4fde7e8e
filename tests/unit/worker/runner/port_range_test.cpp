#include "worker/runner/port_range.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "common/base/random.hpp"

namespace fixkeep::worker {
namespace {

using Ports = std::vector<std::uint16_t>;

TEST(PortRange, gives_ports_in_a_row_and_none_if_there_are_no_such) {
  PortRange ports{100, 105, {}};
  EXPECT_EQ(ports.blocks(3), 2U);
  EXPECT_EQ(ports.take_block(3, TimePoint{}), (Ports{100, 101, 102}));
  EXPECT_EQ(ports.take(1, TimePoint{}), (Ports{103}));
  EXPECT_EQ(ports.blocks(3), 0U);
  EXPECT_EQ(ports.take_block(3, TimePoint{}), Ports{}) << "two are left";
  EXPECT_EQ(ports.take_block(2, TimePoint{}), (Ports{104, 105}));
  for (const std::uint16_t port : Ports{102, 100, 103}) ports.give_back(port);
  EXPECT_EQ(ports.take_block(3, TimePoint{}), Ports{}) << "101 is between them";
  ports.give_back(101);
  EXPECT_EQ(ports.take_block(3, TimePoint{}), (Ports{100, 101, 102}));
}

TEST(PortRange, a_block_with_the_port_of_another_program_is_none_for_a_while) {
  std::set<std::uint16_t> strangers{101};
  PortRange ports{100, 105, [&](std::uint16_t port) { return !strangers.contains(port); }};
  EXPECT_EQ(ports.take_block(3, TimePoint{}), (Ports{102, 103, 104}));
  EXPECT_EQ(ports.take_block(2, TimePoint{}), Ports{}) << "100 and 105 are left";
  strangers.clear();
  ports.tick(ports.next_tick());
  EXPECT_EQ(ports.take_block(2, TimePoint{}), (Ports{100, 101}));
}

TEST(PortRange, claims_ports_out_of_the_range_and_within_it) {
  PortRange ports{100, 103, {}};
  for (const std::uint16_t port : Ports{99, 101, 104}) ports.claim(port);
  EXPECT_EQ(ports.take_block(2, TimePoint{}), (Ports{102, 103}));
  for (const std::uint16_t port : Ports{99, 101, 104}) ports.give_back(port);
  EXPECT_EQ(ports.free(), 2U);
}

// What headroom is made of: a room costs one block and no second one, whatever came and went.
TEST(PortRange, what_is_taken_costs_one_block_at_most) {
  Random random{7};
  for (const std::size_t size : {2U, 3U, 9U}) {
    PortRange ports{1000, 1099, {}};
    std::vector<Ports> taken;
    std::map<std::uint16_t, int> owners;
    for (int step = 0; step < 5000; ++step) {
      const auto before = ports.blocks(size);
      if (!taken.empty() && random.below(2) == 0) {
        const auto which = taken.begin() + static_cast<std::ptrdiff_t>(random.below(taken.size()));
        for (const std::uint16_t port : *which) {
          ports.give_back(port);
          --owners[port];
        }
        taken.erase(which);
        ASSERT_GE(ports.blocks(size), before);
        continue;
      }
      const bool whole = random.below(3) != 0;
      auto got = whole ? ports.take_block(size, TimePoint{}) : ports.take(1, TimePoint{});
      ASSERT_EQ(got.empty(), whole ? before == 0 : ports.free() == 0 && got.empty());
      if (got.empty()) continue;
      for (std::size_t i = 0; i < got.size(); ++i) {
        ASSERT_EQ(got[i], got[0] + i);
        ASSERT_EQ(++owners[got[i]], 1);
      }
      ASSERT_GE(ports.blocks(size) + 1, before);
      if (whole) { ASSERT_EQ(ports.blocks(size) + 1, before); }
      taken.push_back(std::move(got));
    }
  }
}

}  // namespace
}  // namespace fixkeep::worker
