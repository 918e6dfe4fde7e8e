// A cluster whose nodes know each other by certificates.
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/attack/certified.hpp"
#include "tests/integration/checks.hpp"
#include "tests/support/http_calls.hpp"

namespace fixkeep::integration {
namespace {

using support::LocalCluster;
using support::Node;
using support::Part;
using support::Players;

struct Certificates : testing::Test, attack::Certified {};

TEST_F(Certificates, are_all_renewed_under_a_burst_and_nothing_is_lost) {
  LocalCluster cluster{{.masters = 3, .workers = 2, .capacity = 4, .boot_ms = 200},
                       [this](LocalCluster::Config& config, Part part, std::size_t index) {
                         secure(config, part, index);
                       }};
  cluster.start();
  Players players{{.masters = cluster.masters()}};
  players.add_burst(64, 4);
  certify("", true);
  for (std::size_t i = 0; i < 3; ++i) cluster.master(i).signal(SIGHUP);
  for (std::size_t i = 0; i < 2; ++i) cluster.worker(i).signal(SIGHUP);
  players.run_until_decided();
  expect_all_inside(players, 4);
  EXPECT_EQ(rooms_of(players), 16U) << "16 are needed";
  support::wait_until("every node has read them again", [&] {
    const auto read = [](Node& node) { return contains(node.log(), "configuration read again"); };
    return read(cluster.master(0)) && read(cluster.master(1)) && read(cluster.master(2)) &&
           read(cluster.worker(0)) && read(cluster.worker(1));
  });
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_FALSE(contains(cluster.master(i).log(), "link down")) << cluster.master(i).log();
    EXPECT_GT(support::get_metric(cluster.admin(i), "link_certificate_expiry_timestamp_seconds"),
              0);
  }
  // And a node that starts now is welcome with what it has now.
  players.hang_up();
  cluster.worker(1).kill();
  cluster.worker(1).start(cluster.config(Part::worker, 1));
  cluster.wait_until_ready();
  expect_clean_stop(cluster);
}

// It has the cluster's id and, if there were one, its secret; and the certificate of another
// worker.
TEST_F(Certificates, keep_a_worker_with_another_ones_away_with_the_reason_on_both_sides) {
  LocalCluster cluster{{.masters = 1, .workers = 2, .capacity = 4, .boot_ms = 0},
                       [this](LocalCluster::Config& config, Part part, std::size_t index) {
                         secure(config, part, index);
                       }};
  cluster.start();
  cluster.worker(1).kill();
  auto config = cluster.config(Part::worker, 1);
  config["tls"]["certificate"] = (folder / "w1.pem").string();
  config["tls"]["key"] = (folder / "w1.key").string();
  cluster.worker(1).start(config);
  EXPECT_EQ(cluster.worker(1).wait_for_end(std::chrono::seconds{10}), "exit code 2");
  EXPECT_TRUE(contains(cluster.worker(1).log(), "belongs to worker w1 of cluster"));
  // One that does not look at its own certificate, or has none at all.
  config = cluster.config(Part::worker, 1);
  config["tls"] = nlohmann::json::object();
  config["cluster"]["secret"] = "whatever it may be, it is of no use";
  cluster.worker(1).start(config);
  support::wait_until("both sides say why", [&] {
    constexpr auto why = "one side of the link speaks TLS 1.3 and the other does not";
    return contains(cluster.worker(1).log(), why) && contains(cluster.master(0).log(), why);
  });
  EXPECT_EQ(cluster.workers(0).size(), 1U);
  cluster.worker(1).kill();
  expect_clean_stop(cluster);
}

// The worker that was stolen runs on, with its key, and with its link to the master.
TEST_F(Certificates, that_are_revoked_end_the_links_of_their_node_with_sighup) {
  LocalCluster cluster{{.masters = 1, .workers = 2, .capacity = 4, .boot_ms = 0},
                       [this](LocalCluster::Config& config, Part part, std::size_t index) {
                         secure(config, part, index);
                         config["tls"]["revoked"] = (folder / "revoked.crl").string();
                       }};
  cluster.start();
  ASSERT_EQ(cluster.workers(0).size(), 2U);
  const certs::CertificateFolder made{folder.path()};
  const auto authority = made.authority();
  ASSERT_EQ(std::get<std::size_t>(made.revoke(std::get<certs::Authority>(authority), "w2")), 1U);
  cluster.master(0).signal(SIGHUP);
  support::wait_until("its link is closed", [&] { return cluster.workers(0).size() == 1; });
  constexpr auto why = "the certificate was refused";
  support::wait_until("both sides say why", [&] {
    return contains(cluster.worker(1).log(), why) && contains(cluster.master(0).log(), why);
  });
  EXPECT_EQ(cluster.workers(0).size(), 1U) << "nor does it come again";
  // The machine in its place gets another one of that name.
  ASSERT_EQ(made.add_node(std::get<certs::Authority>(authority), net::Role::worker, "w2",
                          std::chrono::days{20}, false),
            "");
  cluster.worker(1).kill();
  cluster.worker(1).start(cluster.config(Part::worker, 1));
  cluster.wait_until_ready();
  EXPECT_EQ(cluster.workers(0).size(), 2U);
  expect_clean_stop(cluster);
}

}  // namespace
}  // namespace fixkeep::integration
