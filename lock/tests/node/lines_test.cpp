#include "lock/node/lines.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "lock/node/samples.hpp"

namespace fixkeep::lock_node {
namespace {

struct Seen {
  std::vector<std::string> whole;
  std::vector<std::string> cut;

  auto taker() {
    return [this](std::string_view line, bool complete) {
      (complete ? whole : cut).emplace_back(line);
    };
  }
};

using Texts = std::vector<std::string>;

TEST(Lines, are_put_together_from_pieces) {
  Lines lines{100};
  Seen seen;
  for (const auto* part : {"on", "e\ntwo\n\nthr", "ee", "\nfour"}) lines.feed(part, seen.taker());
  EXPECT_EQ(seen.whole, (Texts{"one", "two", "three"}));
  lines.finish(seen.taker());
  EXPECT_EQ(seen.whole.back(), "four");
  EXPECT_TRUE(seen.cut.empty());
}

TEST(Lines, that_are_too_long_are_reported_once_and_the_next_is_read_again) {
  Lines lines{4};
  Seen seen;
  lines.feed("four\nfive5", seen.taker());
  lines.feed("and more", seen.taker());
  lines.feed("\nsix\n", seen.taker());
  EXPECT_EQ(seen.whole, (Texts{"four", "six"}));
  EXPECT_EQ(seen.cut, Texts{"five"});
}

TEST(Samples, have_their_percentiles_by_nearest_rank) {
  Samples samples;
  EXPECT_EQ(samples.percentile(50), 0);
  for (int value = 10; value >= 1; --value) samples.add(std::chrono::microseconds{value});
  EXPECT_EQ(samples.percentile(50), 5);
  EXPECT_EQ(samples.percentile(90), 9);
  EXPECT_EQ(samples.percentile(99), 10);
  EXPECT_EQ(samples.percentile(100), 10);
  EXPECT_EQ(samples.summary().at("count"), 10);
}

}  // namespace
}  // namespace fixkeep::lock_node
