// A master whose locks are at a server that it has not reached yet.
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <variant>

#include "master/core/master_core.hpp"

namespace fixkeep::master {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

// What a request hears when its time is over. The other master was never met.
std::optional<Refusal> refusal_with(const std::string& strategy) {
  MasterOptions options;
  options.self = MasterId{1};
  options.locks.self = MasterId{1};
  options.locks.peers = {MasterId{2}};
  options.locks.strategy = strategy;
  TimePoint now{minutes{10}};
  MasterCore core{options, now};
  Actions actions;
  MatchRequested ann{TicketId{1}, GroupKey{"duel"},  ModeName{"duel"},
                     2,           {PlayerId{"ann"}}, now + seconds{1}};
  core.step(std::move(ann), now, actions);
  now += seconds{1};
  core.step(TimePassed{}, now, actions);
  for (const Action& action : actions) {
    if (const auto* refused = std::get_if<Refused>(&action)) return refused->reason;
  }
  return std::nullopt;
}

TEST(LockServerNeverReached, is_named_to_players_and_not_the_other_masters) {
  for (const char* strategy :
       {"redis", "redlock", "etcd", "zookeeper", "postgres", "kubernetes-lease"}) {
    EXPECT_EQ(refusal_with(strategy), Refusal::lock_unavailable) << strategy;
  }
  EXPECT_EQ(refusal_with("multiphase"), Refusal::not_joined);
}

}  // namespace
}  // namespace fixkeep::master
