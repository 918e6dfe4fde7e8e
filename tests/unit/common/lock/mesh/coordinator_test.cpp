// The machine on its own: what it says to whom, and when. How masters behave together is in
// tests/scenarios/lock and tests/model.
#include "common/lock/mesh/coordinator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/common/lock/mesh/machines.hpp"

namespace fixkeep::lock {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;
using Kind = CoordinatorKind;

constexpr TimePoint start{seconds{100}};  // the lease is 5 s

LockEvent says(std::size_t peer, Kind kind, std::uint64_t round) {
  return Receive{id_of(peer), message(kind, round)};
}

// What the machine did, and the time of its last SetTimer.
struct Done {
  LockActions actions;
  TimePoint timer = TimePoint::max();
};

Done done(Coordinator& machine, const LockEvent& event, TimePoint now) {
  Done all;
  machine.step(event, now, all.actions);
  for (const auto& action : all.actions) {
    if (const auto* set = std::get_if<SetTimer>(&action)) all.timer = set->at;
  }
  return all;
}

TEST(Coordinator, is_a_regular_value) {
  Coordinator machine{joined_mesh(1, 3)};
  std::vector<Coordinator> seen{machine};
  for (const LockEvent& event :
       {says(2, Kind::request, 4), LockEvent{Acquire{}}, says(3, Kind::request, 9),
        says(2, Kind::release, 4), LockEvent{PeerDown{id_of(3)}},
        LockEvent{Release{{2, id_of(1)}, {.stamp = {2, id_of(1)}, .bytes = "rooms"}}}}) {
    (void)step(machine, event);
    seen.push_back(machine);
  }
  EXPECT_TRUE(all_distinct(seen));
  const Coordinator copy = machine;  // NOLINT(performance-unnecessary-copy-initialization)
  EXPECT_EQ(copy, machine);
}

TEST(Coordinator, grants_first_come_first_served) {
  Coordinator machine{joined_mesh(1, 3)};
  EXPECT_THAT(step(machine, says(3, Kind::request, 7)), ElementsAre("Grant(7)>3", "timer"));
  EXPECT_THAT(step(machine, says(2, Kind::request, 5)), IsEmpty());
  EXPECT_THAT(step(machine, Acquire{}), IsEmpty());
  EXPECT_THAT(step(machine, says(3, Kind::request, 8)), IsEmpty());
  EXPECT_THAT(step(machine, says(3, Kind::release, 6)), IsEmpty());  // an older one
  EXPECT_THAT(step(machine, says(3, Kind::release, 7)), ElementsAre("Grant(5)>2"));
  EXPECT_THAT(step(machine, says(2, Kind::release, 5)), ElementsAre("granted fence", "no timer"));
  EXPECT_THAT(step(machine, Release{machine.highest(), {}}), ElementsAre("Grant(8)>3", "timer"));
}

TEST(Coordinator, is_the_lowest_master_that_is_connected) {
  Coordinator machine{joined_mesh(2, 3)};
  EXPECT_EQ(machine.coordinator(), id_of(1));
  EXPECT_THAT(step(machine, Acquire{}), ElementsAre("Request(1)>1"));
  EXPECT_THAT(step(machine, PeerDown{id_of(1)}), ElementsAre("timer"));
  EXPECT_EQ(machine.coordinator(), id_of(2));
  EXPECT_THAT(step(machine, PeerConnected{id_of(1)}), ElementsAre("no timer"));
  EXPECT_EQ(machine.coordinator(), id_of(1));
}

TEST(Coordinator, a_successor_waits_for_a_lease_and_half) {
  Coordinator machine{joined_mesh(2, 3)};
  (void)done(machine, PeerDown{id_of(1)}, start);
  const auto asked = done(machine, says(3, Kind::request, 1), start + seconds{1});
  EXPECT_THAT(asked.actions, IsEmpty());
  const auto after = start + milliseconds{7'500};
  const auto granted = done(machine, Tick{}, after);
  ASSERT_FALSE(granted.actions.empty());
  EXPECT_EQ(std::get<Send>(granted.actions[0]).message.kind, static_cast<int>(Kind::grant));
}

TEST(Coordinator, a_machine_made_long_after_the_loss_does_not_wait) {
  for (const auto& [gone, waits] : {std::pair{seconds{7}, true}, std::pair{seconds{8}, false}}) {
    auto mesh = joined_mesh(2, 3);
    mesh.connected = mesh.up = {id_of(3)};
    mesh.since_loss = gone;
    Coordinator machine{mesh};
    const auto asked = done(machine, says(3, Kind::request, 1), start);
    ASSERT_FALSE(asked.actions.empty());
    EXPECT_EQ(std::holds_alternative<SetTimer>(asked.actions[0]), waits);
    if (waits) { EXPECT_EQ(asked.timer, start + milliseconds{500}); }
  }
}

TEST(Coordinator, a_holder_renews_at_half_of_its_lease) {
  Coordinator holder{joined_mesh(2, 2)};
  Coordinator coordinator{joined_mesh(1, 2)};
  (void)done(holder, Acquire{}, start);
  (void)done(coordinator, says(2, Kind::request, 1), start);
  EXPECT_EQ(done(holder, says(1, Kind::grant, 1), start).timer, start + milliseconds{2'500});
  EXPECT_THAT(step(holder, Tick{}, start + milliseconds{2'500}), ElementsAre("Renew(1)>1"));
  EXPECT_THAT(step(coordinator, says(2, Kind::renew, 1), start + seconds{3}),
              ElementsAre("Renewed(1)>2", "timer"));
  EXPECT_EQ(done(holder, says(1, Kind::renewed, 1), start + seconds{3}).timer,
            start + milliseconds{5'500});
  EXPECT_TRUE(holder.holding());
}

TEST(Coordinator, revokes_who_does_not_renew_and_marks_the_value) {
  Coordinator machine{joined_mesh(1, 3)};
  (void)done(machine, says(2, Kind::request, 1), start);
  (void)done(machine, says(3, Kind::request, 4), start);
  LockActions actions;
  machine.step(Tick{}, start + milliseconds{7'500}, actions);
  ASSERT_GE(actions.size(), 2U);
  const auto& revoked = std::get<Send>(actions[0]);
  EXPECT_EQ(revoked.to, id_of(2));
  EXPECT_EQ(revoked.message.kind, static_cast<int>(Kind::revoked));
  const auto& granted = std::get<Send>(actions[1]);
  EXPECT_EQ(granted.to, id_of(3));
  EXPECT_TRUE(granted.message.value.uncertain);
  EXPECT_THAT(step(machine, says(2, Kind::renew, 1)), ElementsAre("Revoked(1)>2"));
}

TEST(Coordinator, who_is_revoked_has_lost_its_lease) {
  Coordinator machine{joined_mesh(2, 3)};
  (void)step(machine, Acquire{});
  (void)step(machine, says(1, Kind::grant, 1));
  EXPECT_THAT(step(machine, says(3, Kind::revoked, 1)), IsEmpty());  // not the coordinator
  EXPECT_THAT(step(machine, says(1, Kind::revoked, 2)), IsEmpty());  // another round
  LockActions actions;
  machine.step(says(1, Kind::revoked, 1), {}, actions);
  ASSERT_FALSE(actions.empty());
  EXPECT_EQ(std::get<Lost>(actions[0]).reason, LostReason::lease_timeout);
  EXPECT_FALSE(machine.holding());
}

TEST(Coordinator, gives_back_a_grant_that_is_late_or_from_another) {
  Coordinator machine{joined_mesh(2, 3)};
  EXPECT_THAT(step(machine, says(1, Kind::grant, 1)), ElementsAre("Release(1)>1"));
  (void)step(machine, Acquire{});
  EXPECT_THAT(step(machine, says(3, Kind::grant, 1)), ElementsAre("Release(1)>3"));
  EXPECT_THAT(step(machine, Abandon{}), ElementsAre("Release(1)>1"));
}

// The first grants of a coordinator that has heard of no release: its memory may have been swept.
TEST(Coordinator, who_remembers_no_release_makes_the_holder_fence) {
  Coordinator coordinator{joined_mesh(1, 2)};
  Coordinator holder{joined_mesh(2, 2)};
  const auto acquire = [&](Coordinator& from) {
    std::vector<std::string> news;
    for (const auto& asked : done(holder, Acquire{}, start).actions) {
      for (const auto& answer :
           done(from, Receive{id_of(2), std::get<Send>(asked).message}, start).actions) {
        const auto* send = std::get_if<Send>(&answer);
        if (send == nullptr) continue;
        for (auto& what : step(holder, Receive{id_of(1), send->message}, start)) {
          news.push_back(std::move(what));
        }
      }
    }
    for (const auto& release : done(holder, Release{holder.highest(), {}}, start).actions) {
      if (const auto* send = std::get_if<Send>(&release)) {
        (void)step(from, Receive{id_of(2), send->message}, start);
      }
    }
    return news.at(0);
  };
  EXPECT_EQ(acquire(coordinator), "granted fence");
  EXPECT_EQ(acquire(coordinator), "granted");
  Coordinator forgetful{joined_mesh(1, 2)};
  EXPECT_EQ(acquire(forgetful), "granted fence");
  EXPECT_EQ(acquire(forgetful), "granted");
}

TEST(Coordinator, hears_nothing_of_who_is_not_up_nor_of_other_kinds) {
  Coordinator machine{joined_mesh(1, 3)};
  const Coordinator before = machine;
  EXPECT_THAT(step(machine, says(9, Kind::request, 1)), IsEmpty());
  EXPECT_THAT(step(machine, says(2, static_cast<Kind>(77), 1)), IsEmpty());
  EXPECT_THAT(step(machine, says(2, static_cast<Kind>(0), 1)), IsEmpty());
  EXPECT_EQ(machine, before);
  EXPECT_EQ(Coordinator::kind_name(77), "?");
}

}  // namespace
}  // namespace fixkeep::lock
