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
  state.modes = {ModeName{mode}};
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

TEST(CapacityLacks, are_told_with_one_type_and_a_reason_each) {
  std::set<std::string> details;
  std::set<std::string> reasons;
  for (const auto lack : {CapacityLack::no_worker, CapacityLack::mode_unknown,
                          CapacityLack::workers_full, CapacityLack::workers_slow}) {
    const auto answer = to_answer({TicketId{1}, Refusal::no_capacity, Duration{0}}, lack);
    EXPECT_EQ(answer.status, 503U);
    EXPECT_EQ(answer.retry_after_seconds, 1U);
    const auto document = nlohmann::json::parse(answer.body);
    EXPECT_EQ(document.at("type"), "urn:fixkeep:error:no-capacity");
    reasons.insert(document.at("reason").get<std::string>());
    details.insert(document.at("detail").get<std::string>());
  }
  EXPECT_EQ(details.size(), 4U);
  EXPECT_EQ(reasons, (std::set<std::string>{"no-worker", "mode-unknown-to-workers", "workers-full",
                                            "workers-slow"}));
}

}  // namespace
}  // namespace fixkeep::master
