#include "master/core/hinted_rooms.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace fixkeep::master {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Hinted : testing::Test {
  static wire::RoomHint hint(const WorkerRun& run, std::uint32_t number) {
    return {{run.first, run.second, RoomNumber{number}}, ModeName{"duel"}, 4, 2};
  }
  void come(const WorkerRun& run) {
    directory.connect(run.first, run.second);
    directory.introduce(run.first, {});
  }
  std::set<WorkerRun> merge(std::vector<wire::RoomHint> hints) {
    return rooms.merge(std::move(hints), group, awaited, directory);
  }
  std::vector<RoomId> told() {
    std::vector<RoomId> found;
    for (const wire::RoomHint& each : rooms.unseen(directory)) { found.push_back(each.room); }
    return found;
  }

  const GroupKey group{"g"};
  const WorkerRun here{WorkerId{"here"}, Incarnation{1}};
  const WorkerRun away{WorkerId{"away"}, Incarnation{1}};
  Directory directory{Placement::roomiest};
  AwaitedWorkers awaited{{.worker_reply = std::chrono::seconds{2}}, TimePoint{}};
  HintedRooms rooms;
};

TEST_F(Hinted, rooms_of_workers_that_are_here_go_into_the_directory) {
  come(here);
  EXPECT_THAT(merge({hint(here, 1)}), IsEmpty());
  EXPECT_NE(directory.find(hint(here, 1).room), nullptr);
  EXPECT_THAT(told(), IsEmpty());
}

TEST_F(Hinted, rooms_of_workers_that_are_missing_are_kept_for_the_next_holder) {
  EXPECT_THAT(merge({hint(away, 1)}), ElementsAre(away));
  EXPECT_EQ(directory.find(hint(away, 1).room), nullptr);
  EXPECT_THAT(told(), ElementsAre(hint(away, 1).room));
  rooms.clear();
  EXPECT_THAT(told(), IsEmpty());
}

TEST_F(Hinted, another_run_of_the_worker_is_missing_too) {
  come({away.first, Incarnation{2}});
  EXPECT_THAT(merge({hint(away, 1)}), ElementsAre(away));
}

TEST_F(Hinted, rooms_of_runs_that_are_over_or_given_up_are_dropped) {
  come(here);
  directory.disconnect(here.first);
  come({here.first, Incarnation{2}});
  awaited.give_up({away});
  EXPECT_THAT(merge({hint(here, 1), hint(away, 1)}), IsEmpty());
  EXPECT_THAT(told(), IsEmpty());
}

TEST_F(Hinted, a_run_that_comes_takes_its_rooms_into_the_directory) {
  (void)merge({hint(away, 1), hint(here, 1)});
  come(away);
  rooms.arrived(away, group, directory);
  EXPECT_NE(directory.find(hint(away, 1).room), nullptr);
  EXPECT_THAT(told(), ElementsAre(hint(here, 1).room));
}

TEST_F(Hinted, who_was_waited_for_in_vain_is_not_passed_on) {
  (void)merge({hint(away, 1), hint(here, 1)});
  rooms.give_up({away});
  EXPECT_THAT(told(), ElementsAre(hint(here, 1).room));
}

// --- what the newest holder does not name

struct Concealed : Hinted {
  static wire::RoomHint order(const WorkerRun& run, std::uint64_t counter) {
    const CreationId creation{{counter, MasterId{1}}, 0, Incarnation{7}};
    return {{run.first, run.second, {}}, ModeName{"duel"}, 4, 2, creation};
  }
  std::vector<wire::RoomHint> concealed(std::vector<wire::RoomHint> earlier,
                                        const std::vector<wire::RoomHint>& newest = {}) {
    return concealed_hints(newest, std::move(earlier), group, directory);
  }
};

TEST_F(Concealed, are_rooms_and_orders_that_nobody_has_shown_here) {
  come(here);
  EXPECT_THAT(concealed({order(here, 5), hint(here, 1)}),
              ElementsAre(order(here, 5), hint(here, 1)));
}

TEST_F(Concealed, are_not_those_that_the_newest_holder_names) {
  come(here);
  EXPECT_THAT(concealed({order(here, 5), hint(here, 1)}, {hint(here, 1), order(here, 5)}),
              IsEmpty());
  EXPECT_THAT(concealed({order(here, 5)}, {order(here, 6)}), ElementsAre(order(here, 5)));
}

TEST_F(Concealed, are_not_those_without_seats_or_of_workers_that_are_not_here) {
  come(here);
  wire::RoomHint full = order(here, 5);
  full.free = 0;
  EXPECT_THAT(concealed({full, order(away, 5), hint({here.first, Incarnation{9}}, 1)}), IsEmpty());
}

TEST_F(Concealed, are_not_those_that_the_worker_has_shown_or_closed) {
  directory.connect(here.first, here.second);
  directory.introduce(here.first, {.newest_room = RoomNumber{3}});
  wire::RoomInfo shown;
  shown.number = RoomNumber{4};
  shown.group = group;
  shown.capacity = 4;
  shown.creation = *order(here, 5).ordered;
  ASSERT_TRUE(directory.put(here.first, shown));
  EXPECT_THAT(concealed({order(here, 5), hint(here, 4), hint(here, 3)}), IsEmpty());
  EXPECT_THAT(concealed({hint(here, 5)}), ElementsAre(hint(here, 5)));
}

}  // namespace
}  // namespace fixkeep::master
