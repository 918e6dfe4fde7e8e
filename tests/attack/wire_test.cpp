// Somebody on the wire between the nodes of a cluster with certificates.
#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "tests/attack/certified.hpp"
#include "tests/attack/wire_tap.hpp"
#include "tests/integration/checks.hpp"
#include "tests/support/http_calls.hpp"

namespace fixkeep::attack {
namespace {

using integration::expect_clean_stop;
using support::LocalCluster;
using support::Part;

struct OnTheWire : testing::Test {
  // Everybody reaches the first master through the tap.
  OnTheWire()
      : cluster({.masters = 2, .workers = 1, .capacity = 4, .boot_ms = 0},
                [this](LocalCluster::Config& config, Part part, std::size_t index) {
                  certificates.secure(config, part, index);
                  if (part == Part::master && index == 0) return;
                  auto& masters =
                      part == Part::worker ? config["masters"] : config["mesh"]["masters"];
                  masters[0]["address"] = client_sim::loopback(tap->port());
                }) {
    tap.emplace(cluster.mesh(0).port);
    cluster.start();
  }
  void play(const std::string& region) {
    const auto reply = support::ask_for_seat(cluster.http(0), "a player of " + region, region);
    ASSERT_TRUE(reply);
    ASSERT_EQ(reply->status, 200U) << reply->body;
    EXPECT_EQ(support::join(*client_sim::parse_match_answer(reply->body)), "WELCOME");
  }
  void expect_mischief_to_be_noticed(WireTap::Mischief mischief) {
    play("before");
    const auto before = tap->connections();
    tap->next(mischief);
    support::wait_until("somebody speaks", [&] { return tap->done(); });
    support::wait_until("the link is made anew", [&] { return tap->connections() > before; });
    cluster.wait_until_ready();
    play("after");
    const auto text = cluster.master(0).log() + cluster.worker(0).log() + cluster.master(1).log();
    EXPECT_TRUE(integration::contains(text, "link down")) << text;
    expect_clean_stop(cluster);
  }

  Certified certificates;
  std::optional<WireTap> tap;
  LocalCluster cluster;
};

// The records of TLS by their type (RFC 8446, 5.1); a rest that is no record has type 0.
std::map<int, std::size_t> records_of(const std::string& said) {
  std::map<int, std::size_t> types;
  for (std::size_t at = 0; at < said.size();) {
    if (said.size() - at < 5) break;  // it is still being said
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(said[at + i]); };
    if (byte(1) != 3) {
      ++types[0];
      break;
    }
    ++types[byte(0)];
    at += 5U + (std::size_t{byte(3)} << 8U | byte(4));
  }
  return types;
}

TEST_F(OnTheWire, sees_tls_1_3_and_nothing_else) {
  play("a region with a name");
  const auto said = tap->said();
  ASSERT_GE(said.size(), 4U) << "a worker and a master have dialled the first master";
  for (std::size_t i = 0; i < said.size(); ++i) {
    const auto types = records_of(said[i]);
    // One hello each in the clear; then the change of cipher for old middle boxes, and ciphertext.
    EXPECT_EQ(types.at(22), 1U) << i;
    EXPECT_GT(types.at(23), 2U) << i;
    for (const auto& [type, count] : types) EXPECT_TRUE(type == 20 || type == 22 || type == 23);
    const bool is_server = i % 2 == 1;
    const std::string version_1_3{"\x00\x2b\x00\x02\x03\x04", 6};  // in its ServerHello
    if (is_server) { EXPECT_TRUE(integration::contains(said[i], version_1_3)) << i; }
    for (const char* secret : {"a player of", "a region with a name", "client-sim"}) {
      EXPECT_FALSE(integration::contains(said[i], secret)) << secret;
    }
  }
  expect_clean_stop(cluster);
}

TEST_F(OnTheWire, changes_no_bit) {
  expect_mischief_to_be_noticed(WireTap::Mischief::flip_a_bit);
}

TEST_F(OnTheWire, says_nothing_twice) {
  expect_mischief_to_be_noticed(WireTap::Mischief::say_twice);
}

}  // namespace
}  // namespace fixkeep::attack
