// Players that come over IPv6: the master's address, the room's and the game's.
#include <gmock/gmock.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <fstream>
#include <iterator>

#include "client-sim/cluster/cluster.hpp"
#include "common/process/child_process.hpp"
#include "tests/integration/checks.hpp"
#include "tests/support/http_calls.hpp"
#include "tests/support/temporary_folder.hpp"

namespace fixkeep::integration {
namespace {

using support::LocalCluster;
using support::Part;

// The master listens over both families, so that the cluster is known to be ready as any other is.
LocalCluster::Change with_players_at(const std::string& room_address) {
  return [room_address](LocalCluster::Config& config, Part part, std::size_t) {
    if (part == Part::master) {
      config["http"]["address"] = "::";
      config["identity"]["open"] = "anybody-may-name-any-player";
    }
    if (part == Part::worker) config["worker"]["address"] = room_address;
  };
}

struct LoadRun {
  std::string ended;
  std::string output;
};

LoadRun load(const std::string& master, const std::string& admin) {
  const test::TemporaryFolder folder;
  const auto log = folder.path() / "output";
  auto started = process::ChildProcess::start(
      {(client_sim::program_folder() / "fixkeep-client-sim").string(), "load", "--masters", master,
       "--admin", admin, "--players", "12", "--groups", "2", "--capacity", "4"},
      log);
  if (!started) return {"not started", {}};
  const bool ended = started->wait(std::chrono::seconds{120});
  std::ifstream file{log};
  return {ended ? started->how_it_ended() : "still running",
          {std::istreambuf_iterator<char>{file}, {}}};
}

class OverIpv6 : public ::testing::Test {
 protected:
  // A machine without the address cannot show any of this: that must be seen, and be put right.
  void SetUp() override {
    boost::asio::io_context context;
    boost::asio::ip::tcp::acceptor acceptor{context};
    boost::system::error_code failed;
    acceptor.open(boost::asio::ip::tcp::v6(), failed);
    if (!failed) acceptor.bind({boost::asio::ip::address_v6::loopback(), 0}, failed);
    ASSERT_FALSE(failed) << "this machine has no ::1: " << failed.message();
  }
};

TEST_F(OverIpv6, players_ask_a_master_and_join_a_room_by_literal_addresses) {
  LocalCluster cluster{{.masters = 1, .workers = 1, .capacity = 4, .boot_ms = 0},
                       with_players_at("::1")};
  cluster.start();
  const auto http = std::to_string(cluster.http(0).port);
  const auto admin = std::to_string(cluster.admin(0).port);
  const LoadRun ran = load("http://[::1]:" + http, "http://127.0.0.1:" + admin);
  EXPECT_EQ(ran.ended, "exit code 0") << ran.output << cluster.worker(0).log();
  const auto seat =
      support::ask_for_seat({.host = "::1", .port = cluster.http(0).port}, "zoe", "eu");
  ASSERT_TRUE(seat && seat->status == 200U);
  const auto answer = client_sim::parse_match_answer(seat->body);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->address, "::1");
  EXPECT_EQ(support::join(*answer), "WELCOME");
  expect_clean_stop(cluster);
}

TEST_F(OverIpv6, the_same_game_takes_players_of_both_families) {
  LocalCluster cluster{{.masters = 1, .workers = 1, .capacity = 4, .boot_ms = 0},
                       with_players_at("127.0.0.1")};
  cluster.start();
  for (const char* address : {"127.0.0.1", "::1"}) {
    const auto seat = support::ask_for_seat(cluster.http(0), std::string{"by "} + address, "eu");
    ASSERT_TRUE(seat && seat->status == 200U);
    auto answer = client_sim::parse_match_answer(seat->body);
    ASSERT_TRUE(answer) << seat->body;
    answer->address = address;
    EXPECT_EQ(support::join(*answer), "WELCOME") << address;
  }
  expect_clean_stop(cluster);
}

}  // namespace
}  // namespace fixkeep::integration
