// Nodes with few file descriptors, and strangers who want them all.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <nlohmann/json.hpp>
#include <vector>

#include "tests/integration/checks.hpp"
#include "tests/support/http_calls.hpp"

namespace fixkeep::integration {
namespace {

using namespace std::chrono_literals;
using boost::asio::ip::tcp;
using support::LocalCluster;
using support::Part;

constexpr std::size_t few_descriptors = 64;
constexpr std::size_t few_of_a_worker = 96;  // a room takes 41 of them
constexpr std::size_t many_clients = 120;

// Connections that never ask anything.
class IdleClients {
 public:
  IdleClients(const client_sim::Endpoint& where, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      clients_.emplace_back(context_);
      boost::system::error_code ignored;  // the node may close it at once
      clients_.back().open(tcp::v4());
      // The nodes that are started later must not keep them open.
      ::fcntl(clients_.back().native_handle(), F_SETFD, FD_CLOEXEC);
      clients_.back().connect({boost::asio::ip::make_address(where.host), where.port}, ignored);
    }
  }

 private:
  boost::asio::io_context context_;
  std::vector<tcp::socket> clients_;
};

void wait_until_listening(const client_sim::Endpoint& where) {
  support::wait_until("somebody answers on port " + std::to_string(where.port),
                      [&] { return support::get(where, "/healthz").has_value(); });
}

TEST(FewDescriptors, of_a_worker_are_not_taken_from_the_mesh_by_idle_clients) {
  LocalCluster cluster{{.masters = 1, .workers = 1, .boot_ms = 0}};
  cluster.worker(0).limit_descriptors(few_of_a_worker);
  cluster.worker(0).start(cluster.config(Part::worker, 0));
  wait_until_listening(cluster.worker_admin(0));
  const IdleClients clients{cluster.worker_admin(0), many_clients};
  cluster.master(0).start(cluster.config(Part::master, 0));
  cluster.wait_until_ready();
  expect_logged(cluster.worker(0), "lowered: too few file descriptors");

  // Whoever is promised a room gets into it, and the others hear that there is none.
  std::size_t rooms = 0;
  for (;;) {
    const auto reply =
        support::post(cluster.http(0), "/v1/match",
                      nlohmann::json{{"player_id", "p" + std::to_string(rooms)},
                                     {"mode", "duel"},
                                     {"attributes", {{"region", "r" + std::to_string(rooms)}}},
                                     {"wait_ms", 10'000}}
                          .dump());
    ASSERT_TRUE(reply);
    if (reply->status != 200) {
      EXPECT_EQ(problem_type(reply->body), "no-capacity") << reply->body;
      EXPECT_TRUE(contains(reply->body, "workers-full")) << reply->body;
      break;
    }
    EXPECT_EQ(support::join(*client_sim::parse_match_answer(reply->body)), "WELCOME");
    ASSERT_LT(++rooms, few_of_a_worker);
  }
  EXPECT_GE(rooms, 1U);
  EXPECT_EQ(cluster.rooms_started(0), rooms);
  EXPECT_FALSE(contains(cluster.worker(0).log(), "room cannot start"));
  expect_clean_stop(cluster);
}

TEST(FewDescriptors, of_a_master_are_not_taken_from_the_mesh_by_idle_clients) {
  LocalCluster cluster{{.masters = 2, .workers = 1, .boot_ms = 0}};
  cluster.master(0).limit_descriptors(few_descriptors);
  cluster.master(0).start(cluster.config(Part::master, 0));
  wait_until_listening(cluster.http(0));
  {
    const IdleClients clients{cluster.http(0), many_clients};
    cluster.master(1).start(cluster.config(Part::master, 1));
    cluster.worker(0).start(cluster.config(Part::worker, 0));
    support::wait_until("the other master and the worker have their links to it", [&] {
      return contains(cluster.master(1).log(), "link up peer=m1") &&
             contains(cluster.worker(0).log(), "link up peer=m1");
    });
    // Clients beyond the limit hear so, or find their connection closed; nothing spins.
    const auto lowered = cluster.master(0).log();
    EXPECT_TRUE(contains(lowered, "key=http.connections")) << lowered;
    EXPECT_TRUE(contains(lowered, "key=links")) << lowered;
  }
  cluster.wait_until_ready();
  expect_clean_stop(cluster);
}

TEST(FewDescriptors, too_few_for_anything_are_refused_with_numbers) {
  LocalCluster cluster{{.masters = 1, .workers = 1, .boot_ms = 0}};
  for (auto* node : {&cluster.master(0), &cluster.worker(0)}) {
    node->limit_descriptors(30);
    const auto part = node == &cluster.master(0) ? Part::master : Part::worker;
    node->start(cluster.config(part, 0));
    EXPECT_EQ(node->wait_for_end(20s), "exit code 1");
    EXPECT_TRUE(contains(node->log(), "the limit of open file descriptors is 30")) << node->log();
  }
}

}  // namespace
}  // namespace fixkeep::integration
