// Players measure how far away a worker is, where a master says.
#include <gtest/gtest.h>

#include "tests/integration/checks.hpp"
#include "tests/support/http_calls.hpp"

namespace fixkeep::integration {
namespace {

using support::LocalCluster;
using support::Part;

TEST(Ping, a_worker_answers_where_its_master_says) {
  LocalCluster cluster{
      {.masters = 1, .workers = 1}, [](auto& config, Part part, std::size_t) {
        if (part != Part::worker) return;
        config["worker"]["address"] = "127.0.0.2";
        config["ping"] = {{"port", config["rooms"]["ports"]["last"]}};  // no room starts here
      }};
  cluster.start();
  const auto pings = support::get_json(cluster.http(0), "/v1/modes").at("pings");
  ASSERT_EQ(pings.size(), 1U) << pings;
  const client_sim::Endpoint where{.host = pings.at(0).at("address"),
                                   .port = pings.at(0).at("port")};
  const auto reply = support::get(where, "/ping");
  ASSERT_TRUE(reply) << reply.error().message();
  EXPECT_EQ(reply->status, 204U);
  expect_clean_stop(cluster);
}

}  // namespace
}  // namespace fixkeep::integration
