// A machine is copied, worker and configuration and all: the copy takes nothing away from the
// worker that runs, whichever of the two has started later, and everybody who may ask is told.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/integration/checks.hpp"
#include "tests/support/http_calls.hpp"
#include "tests/support/temporary_folder.hpp"

namespace fixkeep::integration {
namespace {

using nlohmann::json;
using support::LocalCluster;
using support::Part;
using support::Players;

TEST(CopiedWorker, is_refused_and_told_while_the_one_that_runs_goes_on) {
  LocalCluster cluster{{.masters = 2, .workers = 2, .capacity = 4, .boot_ms = 0}};
  for (std::size_t i = 0; i < 2; ++i) cluster.master(i).start(cluster.config(Part::master, i));
  cluster.worker(0).start(cluster.config(Part::worker, 0));
  support::wait_until("both masters know the worker", [&] {
    return cluster.workers(0).size() == 1 && cluster.workers(1).size() == 1;
  });
  Players players{{.masters = cluster.masters()}};
  players.add_burst(3, 1);
  players.run_until_decided();
  ASSERT_EQ(rooms_of(players), 1U);

  json copied = cluster.config(Part::worker, 1);  // its ports are free
  copied["worker"]["id"] = "w1";
  const test::TemporaryFolder folder;
  support::Node copy{"copy", "fixkeep-worker", folder.path()};
  copy.start(copied);
  support::wait_until("the copy reads why", [&] {
    return contains(copy.log(), "another live process already uses that node id");
  });
  for (std::size_t master = 0; master < 2; ++master) {
    support::wait_until("each master tells of it", [&] {
      const auto told = support::get(cluster.admin(master), "/v1/node");
      if (!told) return false;
      const auto copies = json::parse(told->body).at("refused_copies");
      return copies.size() == 1 && copies[0].at("node") == "w1";
    });
    EXPECT_EQ(cluster.rooms(master).size(), 1U);
  }
  players.add_burst(1, 1);
  players.run_until_decided();
  expect_all_inside(players, 4);
  EXPECT_EQ(rooms_of(players), 1U) << "the fourth seat of the room that was there";

  EXPECT_EQ(cluster.worker(0).terminate(support::condition_limit), "exit code 0");
  support::wait_until("now the copy is the worker", [&] {
    return cluster.workers(0).size() == 1 && contains(copy.log(), "link up");
  });
  players.hang_up();
  EXPECT_EQ(copy.terminate(support::condition_limit), "exit code 0");
  expect_clean_stop(cluster);
}

}  // namespace
}  // namespace fixkeep::integration
