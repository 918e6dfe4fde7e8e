#include "lock/core/master_lists.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lock/tests/core/table_mesh.hpp"

namespace fixkeep::lock {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Lists : testing::Test {
  // Every peer is linked and has our list.
  Lists() {
    for (const MasterId peer : {two, three}) lists.heard(peer, {one, two, three});
  }
  [[nodiscard]] std::optional<ListRefusal> refusal(const std::vector<MasterId>& peers,
                                                   std::string_view strategy = "multiphase") const {
    return lists.refusal(peers, up, strategy);
  }

  MasterLists lists{one, {three, two}};
  std::set<MasterId> up{two, three};
};

TEST_F(Lists, know_who_else_is_in_them) {
  EXPECT_THAT(lists.peers(), ElementsAre(two, three));
  EXPECT_THAT(lists.all(), ElementsAre(one, two, three));
  EXPECT_TRUE(lists.lists(two));
  EXPECT_FALSE(lists.lists(one));
  EXPECT_FALSE(lists.lists(four));
}

TEST_F(Lists, are_disputed_while_a_peer_that_is_linked_has_another) {
  EXPECT_FALSE(lists.disputed());
  lists.heard(three, {one, two, three, four});
  EXPECT_TRUE(lists.disputed());
  lists.lost(three);
  EXPECT_FALSE(lists.disputed());
}

TEST_F(Lists, of_peers_that_do_not_tell_theirs_are_not_judged) {
  lists.heard(three, {});
  EXPECT_FALSE(lists.disputed());
  EXPECT_FALSE(refusal({two, three, four}));
}

TEST_F(Lists, may_stay_as_they_are_whoever_is_away) {
  up.clear();
  EXPECT_FALSE(refusal({three, two}));
}

TEST_F(Lists, may_grow_by_one_while_all_are_linked) {
  EXPECT_FALSE(refusal({two, three, four}));
  up.erase(three);
  lists.lost(three);
  EXPECT_EQ(refusal({two, three, four}), (ListRefusal{ListFault::away, three}));
}

TEST_F(Lists, may_lose_one_that_is_away_or_not) {
  EXPECT_FALSE(refusal({two}));
  up.erase(three);
  lists.lost(three);
  EXPECT_FALSE(refusal({two}));
  EXPECT_FALSE(refusal({three}));
}

TEST_F(Lists, change_by_one_master_at_a_time) {
  EXPECT_EQ(refusal({two, four}), (ListRefusal{ListFault::several, {}}));
  EXPECT_EQ(refusal({two, three, four, MasterId{5}}), (ListRefusal{ListFault::several, {}}));
  EXPECT_EQ(refusal({}), (ListRefusal{ListFault::several, {}}));
}

TEST_F(Lists, follow_a_peer_that_has_the_new_one_already) {
  lists.heard(two, {one, two, three, four});
  EXPECT_FALSE(refusal({two, three, four}));
}

TEST_F(Lists, do_not_change_while_a_peer_has_neither) {
  lists.heard(two, {one, two});
  EXPECT_EQ(refusal({two, three, four}), (ListRefusal{ListFault::differs, two}));
  EXPECT_FALSE(refusal({three})) << "the one that has another list is to leave";
}

TEST_F(Lists, of_locks_with_quorums_stay) {
  for (const auto* lock : {"maekawa", "tree-quorum"}) {
    EXPECT_EQ(refusal({two}, lock), (ListRefusal{ListFault::quorums_depend, {}}));
    EXPECT_FALSE(refusal({two, three}, lock));
  }
}

TEST_F(Lists, change_as_one_likes_where_the_lock_lives_elsewhere) {
  EXPECT_FALSE(refusal({four}, "redis"));
  EXPECT_FALSE(refusal({four}, "none"));
}

TEST_F(Lists, forget_what_those_have_told_that_leave) {
  lists.heard(three, {one, three});
  EXPECT_THAT(lists.change({two}), ElementsAre(three));
  EXPECT_THAT(lists.all(), ElementsAre(one, two));
  EXPECT_TRUE(lists.disputed()) << "two has not followed yet";
  lists.heard(two, {one, two});
  EXPECT_FALSE(lists.disputed());
  EXPECT_THAT(lists.change({two, four}), IsEmpty());
  EXPECT_TRUE(lists.lists(four));
}

TEST(ListRefusal, says_what_to_do) {
  EXPECT_EQ(to_string(ListRefusal{ListFault::away, three}),
            "m3 is away: a master may come only while all others are linked; start m3 again, or "
            "take it out first");
}

}  // namespace
}  // namespace fixkeep::lock
