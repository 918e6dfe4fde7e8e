#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "tests/integration/checks.hpp"

namespace fixkeep::integration {
namespace {

using namespace std::chrono_literals;
using support::LocalCluster;
using support::Node;
using support::Part;

constexpr auto end_limit = 20s;

// A port that somebody else listens on.
class TakenPort {
 public:
  explicit TakenPort(std::uint16_t port)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const int on = 1;
    ::setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_port = htons(port);
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const void* address = &where;
    taken_ = ::bind(socket_, static_cast<const sockaddr*>(address), sizeof where) == 0 &&
             ::listen(socket_, 1) == 0;
  }
  ~TakenPort() { ::close(socket_); }
  TakenPort(const TakenPort&) = delete;
  TakenPort& operator=(const TakenPort&) = delete;

  [[nodiscard]] bool taken() const { return taken_; }

 private:
  int socket_;
  bool taken_ = false;
};

std::size_t line_of(const std::string& text, const std::string& part) {
  const auto at = text.find(part);
  return 1 + static_cast<std::size_t>(
                 std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

// The log has, for each key, a line "…/m1.json:<line>: <key>: <message>".
void expect_problem(const Node& node, const std::string& text, const std::string& line_with,
                    const std::string& key) {
  const auto wanted =
      node.name() + ".json:" + std::to_string(line_of(text, line_with)) + ": " + key + ": ";
  EXPECT_TRUE(contains(node.log(), wanted)) << "not there: " << wanted << "\n" << node.log();
}

TEST(Configuration, every_wrong_field_of_a_master_is_told_before_any_socket_is_opened) {
  LocalCluster cluster{{.masters = 1, .workers = 0}};
  // Whoever tries to listen first would say that the port is taken, and exit with another code.
  const TakenPort http{cluster.http(0).port};
  const TakenPort mesh{cluster.mesh(0).port};
  ASSERT_TRUE(http.taken() && mesh.taken());
  auto config = cluster.config(Part::master, 0);
  config["http"]["connections"] = "many";
  config["lock"]["strategy"] = "hope";
  config["lock"]["lease_ms"] = -1;
  config["matching"]["placment"] = "fullest";
  config["modes"][0].erase("capacity");
  const auto text = config.dump(2);
  Node& master = cluster.master(0);
  master.start_with_text(text);
  EXPECT_EQ(master.wait_for_end(end_limit), "exit code 2");
  expect_problem(master, text, "\"many\"", "http.connections");
  expect_problem(master, text, "\"hope\"", "lock.strategy");
  expect_problem(master, text, "\"lease_ms\": -1", "lock.lease_ms");
  expect_problem(master, text, "\"placment\"", "matching.placment");
  EXPECT_TRUE(contains(master.log(), ": modes[0].capacity: ")) << master.log();
}

TEST(Configuration, every_wrong_field_of_a_worker_is_told_before_any_socket_is_opened) {
  LocalCluster cluster{{.masters = 1, .workers = 1}};
  const TakenPort http{cluster.worker_admin(0).port};
  ASSERT_TRUE(http.taken());
  auto config = cluster.config(Part::worker, 0);
  config["rooms"]["ports"]["last"] = 1;
  config["masters"][0]["address"] = "nowhere";
  config["games"][0]["boot_timeout_ms"] = 0;
  config["worker"]["address"] = "0.0.0.0";
  const auto text = config.dump(2);
  Node& worker = cluster.worker(0);
  worker.start_with_text(text);
  EXPECT_EQ(worker.wait_for_end(end_limit), "exit code 2");
  expect_problem(worker, text, "\"last\": 1", "rooms.ports.last");
  expect_problem(worker, text, "\"nowhere\"", "masters[0].address");
  expect_problem(worker, text, "\"boot_timeout_ms\": 0", "games[0].boot_timeout_ms");
  expect_problem(worker, text, "\"0.0.0.0\"", "worker.address");
}

TEST(Configuration, what_a_worker_doubts_is_in_its_log_and_keeps_it_from_nothing) {
  LocalCluster cluster{{.masters = 1, .workers = 1}};
  auto config = cluster.config(Part::worker, 0);
  config["rooms"]["ports"]["last"] = config["rooms"]["ports"]["first"];
  config["games"][0]["working_folder"] = "/no/such/folder";
  cluster.master(0).start(cluster.config(Part::master, 0));
  cluster.worker(0).start(config);
  cluster.wait_until_ready();
  for (const char* key : {": rooms.ports.last: makes 1 ports", ": games[0].working_folder: must"}) {
    expect_logged(cluster.worker(0), key);
  }
}

TEST(Configuration, a_listener_that_games_can_use_is_told_of_in_the_log) {
  LocalCluster cluster{{.masters = 1, .workers = 2},
                       [](LocalCluster::Config& config, Part part, std::size_t index) {
                         if (part != Part::worker || index != 1) return;
                         config["admin"]["token"] = "a token of more than 16 characters";
                       }};
  cluster.start();
  constexpr auto why = ": admin.port: makes every program of this machine an operator";
  expect_logged(cluster.master(0), why);
  expect_logged(cluster.worker(0), why);
  EXPECT_FALSE(contains(cluster.worker(1).log(), why)) << cluster.worker(1).log();
}

TEST(Configuration, a_file_that_is_no_json_is_told_with_its_line) {
  LocalCluster cluster{{.masters = 1, .workers = 0}};
  Node& master = cluster.master(0);
  master.start_with_text("{\n  \"cluster\": {\n    \"id\": oops\n");
  EXPECT_EQ(master.wait_for_end(end_limit), "exit code 2");
  EXPECT_TRUE(contains(master.log(), "m1.json:3")) << master.log();
}

void expect_taken(Node& node, const LocalCluster::Config& config, std::uint16_t port) {
  const TakenPort taken{port};
  ASSERT_TRUE(taken.taken());
  node.start(config);
  EXPECT_EQ(node.wait_for_end(end_limit), "exit code 1");
  EXPECT_TRUE(contains(node.log(), "127.0.0.1:" + std::to_string(port))) << node.log();
  EXPECT_TRUE(contains(node.log(), "Address already in use")) << node.log();
}

TEST(TakenPorts, of_a_masters_http_is_named) {
  LocalCluster cluster{{.masters = 1, .workers = 0}};
  expect_taken(cluster.master(0), cluster.config(Part::master, 0), cluster.http(0).port);
}

TEST(TakenPorts, of_a_masters_mesh_is_named) {
  LocalCluster cluster{{.masters = 1, .workers = 0}};
  expect_taken(cluster.master(0), cluster.config(Part::master, 0), cluster.mesh(0).port);
}

TEST(TakenPorts, of_a_workers_http_is_named) {
  LocalCluster cluster{{.masters = 1, .workers = 1}};
  expect_taken(cluster.worker(0), cluster.config(Part::worker, 0), cluster.worker_admin(0).port);
}

}  // namespace
}  // namespace fixkeep::integration
