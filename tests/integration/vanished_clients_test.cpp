// Clients that ask for rooms which nobody needs, and go.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/integration/checks.hpp"
#include "tests/support/held_request.hpp"
#include "tests/support/http_calls.hpp"

namespace fixkeep::integration {
namespace {

using support::HeldRequest;
using support::LocalCluster;

TEST(VanishedClients, leave_no_room_that_nobody_is_in) {
  constexpr std::size_t rooms = 50;
  constexpr std::size_t groups = 60;
  // No room opens within this test, so a room that is gone has not been waited for.
  LocalCluster cluster{
      {.masters = 1, .workers = 1, .capacity = 8, .boot_ms = 60'000, .rooms_a_worker = rooms}};
  cluster.start();
  std::vector<HeldRequest> requests;
  requests.reserve(groups);
  for (std::size_t group = 0; group < groups; ++group) {
    const auto name = std::to_string(group);
    requests.emplace_back(cluster.http(0), support::match_body("p" + name, "invented" + name));
  }
  support::wait_until("the worker is full", [&] { return cluster.rooms(0).size() == rooms; });
  for (auto& request : requests) request.hang_up();
  support::wait_until("every room has ended", [&] { return cluster.rooms(0).empty(); });
  support::wait_until("the worker has room for others", [&] {
    const auto workers = cluster.workers(0);
    return workers.size() == 1 && workers.front().at("headroom") == rooms;
  });
  expect_clean_stop(cluster);
}

}  // namespace
}  // namespace fixkeep::integration
