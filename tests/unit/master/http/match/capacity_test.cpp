#include "master/http/match/capacity.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "master/http/match/desk.hpp"

namespace fixkeep::master {
namespace {

const ModeName duel{"duel"};

void add(Directory& directory, const std::string& name, const std::string& mode,
         std::uint32_t headroom) {
  wire::WorkerState state;
  state.room_limit = 10;
  state.headroom = headroom;
  state.modes.known = {ModeName{mode}};
  directory.connect(WorkerId{name}, Incarnation{1});
  directory.introduce(WorkerId{name}, state);
}

TEST(CapacityLacks, differ_for_no_worker_no_worker_of_the_mode_and_full_ones) {
  Directory directory{Placement::roomiest};
  EXPECT_EQ(capacity_lack(directory, duel), CapacityLack::no_worker);
  add(directory, "w1", "royale", 5);
  EXPECT_EQ(capacity_lack(directory, duel), CapacityLack::mode_unknown);
  add(directory, "w2", "duel", 0);
  EXPECT_EQ(capacity_lack(directory, duel), CapacityLack::workers_full);
  directory.set_headroom(WorkerId{"w2"}, 1);
  EXPECT_EQ(capacity_lack(directory, duel), CapacityLack::workers_slow);
}

void pause(Directory& directory, const std::string& name, const std::string& reason,
           wire::PauseCause cause = wire::PauseCause::failing) {
  directory.set_modes(WorkerId{name}, {{duel}, {{duel, cause, std::chrono::seconds{4}, reason}}});
}

TEST(CapacityLacks, name_drained_and_failing_modes_unless_another_worker_may_help) {
  Directory directory{Placement::roomiest};
  add(directory, "w1", "duel", 5);
  pause(directory, "w1", "drained", wire::PauseCause::drained);
  EXPECT_EQ(capacity_lack(directory, duel), CapacityLack::mode_drained);
  EXPECT_EQ(failures_of(directory, duel), "");
  add(directory, "w2", "duel", 5);
  pause(directory, "w2", "exit code 1: cannot bind");
  EXPECT_EQ(capacity_lack(directory, duel), CapacityLack::mode_failing);
  EXPECT_EQ(failures_of(directory, duel), "w2: exit code 1: cannot bind");
  EXPECT_EQ(failures_of(directory, ModeName{"royale"}), "");
  add(directory, "w3", "duel", 0);
  EXPECT_EQ(capacity_lack(directory, duel), CapacityLack::workers_full);
}

TEST(CapacityLacks, of_a_boot_are_told_while_the_worker_tries_again) {
  Directory directory{Placement::roomiest};
  add(directory, "w1", "duel", 5);
  pause(directory, "w1", "exit code 1: cannot bind");
  directory.set_modes(WorkerId{"w1"}, {{duel}, {}});
  EXPECT_EQ(failures_of(directory, duel), "w1: exit code 1: cannot bind");
  directory.set_modes(WorkerId{"w1"}, {{}, {}});
  EXPECT_EQ(failures_of(directory, duel), "") << "it runs the mode no more";
}

TEST(CapacityLacks, name_at_most_three_workers_whose_games_fail) {
  Directory directory{Placement::roomiest};
  for (const char* name : {"w1", "w2", "w3", "w4"}) {
    add(directory, name, "duel", 5);
    pause(directory, name, "boot-timeout");
  }
  EXPECT_EQ(failures_of(directory, duel),
            "w1: boot-timeout; w2: boot-timeout; w3: boot-timeout; and more");
}

TEST(CapacityLacks, of_failing_games_are_told_to_players_in_words_that_do_not_change) {
  const auto detail_of_answer = [](Refusal reason) {
    const auto answer =
        to_answer({TicketId{1}, reason, Duration{0}}, CapacityLack::mode_failing, true);
    return nlohmann::json::parse(answer.body).at("detail").get<std::string>();
  };
  for (const auto reason : {Refusal::no_capacity, Refusal::boot_failed, Refusal::wait_timeout}) {
    EXPECT_TRUE(detail_of_answer(reason).ends_with(
        "the operator finds the reason in the log of this master, and with fixkeepctl doctor"))
        << detail_of_answer(reason);
  }
}

TEST(CapacityLacks, of_rooms_that_are_not_ready_are_told_and_are_no_pause) {
  Directory directory{Placement::roomiest};
  add(directory, "w1", "duel", 5);
  pause(directory, "w1", "not ready: it listens on 43950", wire::PauseCause::slow);
  EXPECT_TRUE(directory.workers().at(WorkerId{"w1"}).starts(duel));
  EXPECT_EQ(capacity_lack(directory, duel), CapacityLack::workers_slow);
  EXPECT_EQ(not_ready_of(directory, duel), "w1: not ready: it listens on 43950");
  EXPECT_EQ(failures_of(directory, duel), "w1: not ready: it listens on 43950");
  directory.set_modes(WorkerId{"w1"}, {{duel}, {}});
  EXPECT_EQ(not_ready_of(directory, duel), "");
}

TEST(CapacityLacks, are_told_with_one_type_and_a_reason_each) {
  std::set<std::string> details;
  std::set<std::string> reasons;
  for (const auto lack :
       {CapacityLack::no_worker, CapacityLack::mode_unknown, CapacityLack::mode_drained,
        CapacityLack::mode_failing, CapacityLack::workers_full, CapacityLack::workers_slow}) {
    const auto answer = to_answer({TicketId{1}, Refusal::no_capacity, Duration{0}}, lack);
    EXPECT_EQ(answer.status, 503U);
    EXPECT_EQ(answer.retry_after_seconds, 1U);
    const auto document = nlohmann::json::parse(answer.body);
    EXPECT_EQ(document.at("type"), "urn:fixkeep:error:no-capacity");
    reasons.insert(document.at("reason").get<std::string>());
    details.insert(document.at("detail").get<std::string>());
  }
  EXPECT_EQ(details.size(), 6U);
  EXPECT_EQ(reasons, (std::set<std::string>{"no-worker", "mode-unknown-to-workers", "mode-drained",
                                            "mode-failing", "workers-full", "workers-slow"}));
}

}  // namespace
}  // namespace fixkeep::master
