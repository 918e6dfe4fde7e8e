#include "lock/engines/zookeeper/queue.hpp"

#include <gtest/gtest.h>

namespace fixkeep::engine {
namespace {

TEST(ZookeeperQueueTest, names_are_of_one_master_and_one_run) {
  const ZookeeperNames paths{"my cluster", MasterId{7}, 99};
  EXPECT_EQ(paths.cluster, "/fixkeep/c-my%20cluster");
  EXPECT_EQ(paths.group(GroupKey{"a/b"}), "/fixkeep/c-my%20cluster/g-a%2Fb");
  EXPECT_EQ(paths.group(GroupKey{""}), "/fixkeep/c-my%20cluster/g-");
  EXPECT_EQ(paths.entry(GroupKey{"k"}, 3), "/fixkeep/c-my%20cluster/g-k/l-m7-99-3-");
}

TEST(ZookeeperQueueTest, reads_the_sequence) {
  EXPECT_EQ(sequence_of("l-m1-5-2-0000000012"), 12U);
  EXPECT_FALSE(sequence_of("0000000012"));
  EXPECT_FALSE(sequence_of("l-m1-5-2-00000000x2"));
  EXPECT_FALSE(sequence_of("l-"));
  EXPECT_FALSE(sequence_of(""));
}

TEST(ZookeeperQueueTest, the_nearest_lower_one_of_another_master_is_ahead) {
  const std::string mine = "l-m1-5-9-0000000020";
  const auto place = find_place(
      {"l-m2-8-1-0000000003", mine, "l-m3-8-1-0000000017", "l-m2-8-2-0000000031", "rubbish"},
      "l-m1-5-", mine);
  EXPECT_TRUE(place.present);
  EXPECT_EQ(place.ahead, "l-m3-8-1-0000000017");
  EXPECT_TRUE(place.stale.empty());
}

TEST(ZookeeperQueueTest, our_own_from_earlier_are_stale_and_not_ahead) {
  const std::string mine = "l-m1-5-9-0000000020";
  const auto place =
      find_place({"l-m1-5-8-0000000019", mine, "l-m1-55-1-0000000031", "l-m11-5-1-0000000032"},
                 "l-m1-5-", mine);
  EXPECT_TRUE(place.present);
  EXPECT_TRUE(place.ahead.empty());
  EXPECT_EQ(place.stale, (std::vector<std::string>{"l-m1-5-8-0000000019"}));
  const auto without = find_place({"l-m1-5-8-0000000019"}, "l-m1-5-", "");
  EXPECT_FALSE(without.present);
  EXPECT_EQ(without.stale.size(), 1U);
}

}  // namespace
}  // namespace fixkeep::engine
