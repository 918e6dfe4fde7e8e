// Signals and logs of real nodes: what may end them, what must, and what never does.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "client-sim/cluster/cluster.hpp"
#include "common/process/proc.hpp"
#include "tests/integration/checks.hpp"
#include "tests/support/http_calls.hpp"
#include "tests/support/temporary_folder.hpp"

namespace fixkeep::integration {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using support::LocalCluster;
using support::Node;
using support::Part;
using support::Players;
using support::wait_until;

constexpr auto signal_limit = 20s;

std::string contents(const fs::path& path) {
  std::ifstream file{path};
  return {std::istreambuf_iterator<char>{file}, {}};
}

void wait_for_line(Node& node, const std::string& part) {
  wait_until(node.name() + " says " + part, [&] { return contains(node.log(), part); });
}

TEST(Signals, hangup_and_user_1_end_neither_a_node_nor_its_games) {
  LocalCluster cluster{{.masters = 1, .workers = 1, .capacity = 4, .boot_ms = 0}};
  cluster.start();
  Players players{{.masters = cluster.masters()}};
  players.add_burst(8, 1);
  players.run_until_decided();
  const auto games = cluster.games(0);
  ASSERT_EQ(games.size(), 2U);
  for (Node* node : {&cluster.master(0), &cluster.worker(0)}) {
    node->signal(SIGHUP);
    wait_for_line(*node, "configuration read again");
    node->signal(SIGUSR1);
    wait_for_line(*node, "log level changed signal=SIGUSR1 level=debug");
    node->signal(SIGUSR1);
    wait_for_line(*node, "log level changed signal=SIGUSR1 level=info");
    node->signal(SIGPIPE);
    EXPECT_TRUE(node->running());
  }
  EXPECT_TRUE(std::all_of(games.begin(), games.end(), process::alive));
  expect_all_inside(players, 4);
  players.hang_up();
  expect_clean_stop(cluster);
}

TEST(Signals, hangup_takes_over_level_and_file_of_the_log_and_refuses_mistakes) {
  const test::TemporaryFolder folder;
  const auto log = folder / "m1.log";
  LocalCluster cluster{{.masters = 1, .workers = 0}};
  auto config = cluster.config(Part::master, 0);
  config["log"]["file"] = log.string();
  Node& master = cluster.master(0);
  master.start(config);
  wait_until("the log is in its file", [&] { return contains(contents(log), "master started"); });

  // As logrotate does it.
  fs::rename(log, folder / "m1.log.1");
  config["log"]["level"] = "debug";
  config["http"]["connections"] = 77;
  const auto file = master.config_file();
  std::ofstream{file} << config.dump(2);
  master.signal(SIGHUP);
  const auto says = [&](const std::string& part) {
    wait_until("the new log says " + part, [&] { return contains(contents(log), part); });
  };
  says("configuration read again log_level=debug changed=log.level");
  says("these keys have changed and need a restart keys=http.connections");

  config["log"]["level"] = "loud";
  std::ofstream{file} << config.dump(2);
  master.signal(SIGHUP);
  says("m1.json:");
  says("log.level: must be ");
  says("the configuration has mistakes; nothing of it is taken over problems=1");
  std::ofstream{file} << "{ \"cluster\": { \"secret\": \"half a secret";
  master.signal(SIGHUP);
  says("m1.json:1:");
  EXPECT_FALSE(contains(contents(log), "half a secret"));
  master.signal(SIGUSR1);
  says("log level changed signal=SIGUSR1 level=debug");  // it was debug all the time
  EXPECT_EQ(master.terminate(signal_limit), "exit code 0");
}

// A node whose standard error is a pipe, full to the brim or without anybody who reads.
class PipedNode {
 public:
  explicit PipedNode(const LocalCluster& cluster, Part part) {
    pipe_ = folder_ / "pipe";
    EXPECT_EQ(::mkfifo(pipe_.c_str(), 0600), 0);
    reader_ = ::open(pipe_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    auto config = cluster.config(part, 0);
    config["log"]["level"] = "debug";
    const auto file = folder_ / "config.json";
    std::ofstream{file} << config.dump(2);
    const auto program = part == Part::master ? "fixkeep-master" : "fixkeep-worker";
    auto started = process::ChildProcess::start(
        {(client_sim::program_folder() / program).string(), "--config", file.string()}, pipe_);
    EXPECT_TRUE(started);
    process_ = std::move(*started);
    http_ = part == Part::master ? cluster.http(0) : cluster.worker_admin(0);
    wait_until_alive();
  }
  ~PipedNode() { stop_reading(); }
  PipedNode(const PipedNode&) = delete;
  PipedNode& operator=(const PipedNode&) = delete;

  void fill() {
    const int writer = ::open(pipe_.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    const std::string text(4096, 'x');
    while (::write(writer, text.data(), text.size()) > 0) continue;
    ::close(writer);
  }
  void stop_reading() {
    if (reader_ >= 0) ::close(std::exchange(reader_, -1));
  }
  void wait_until_alive() const {
    wait_until("the node answers", [&] {
      const auto reply = support::get(http_, "/healthz");
      return reply && reply->status == 200;
    });
  }
  void signal(int number) { process_.signal(number); }
  std::string end() {
    if (!process_.wait(signal_limit)) return "still running";
    return process_.how_it_ended();
  }

 private:
  test::TemporaryFolder folder_;
  fs::path pipe_;
  int reader_ = -1;
  process::ChildProcess process_;
  client_sim::Endpoint http_;
};

void expect_an_end_without_a_reader(Part part, bool reader_dies) {
  LocalCluster cluster{{.masters = 1, .workers = 1}};
  PipedNode node{cluster, part};
  if (reader_dies) {
    node.stop_reading();
  } else {
    node.fill();
  }
  for (int count = 0; count < 50; ++count) node.signal(SIGHUP);  // each is worth several lines
  node.wait_until_alive();
  node.signal(SIGTERM);
  EXPECT_EQ(node.end(), "exit code 0");
}

TEST(UnreadLog, does_not_keep_a_master_from_ending) {
  expect_an_end_without_a_reader(Part::master, false);
}
TEST(UnreadLog, does_not_keep_a_worker_from_ending) {
  expect_an_end_without_a_reader(Part::worker, false);
}
TEST(UnreadLog, whose_reader_dies_does_not_end_a_master) {
  expect_an_end_without_a_reader(Part::master, true);
}
TEST(UnreadLog, whose_reader_dies_does_not_end_a_worker) {
  expect_an_end_without_a_reader(Part::worker, true);
}

TEST(Signals, a_second_terminate_ends_a_worker_whose_games_take_their_time) {
  LocalCluster cluster{{.masters = 1, .workers = 1, .capacity = 1, .boot_ms = 0},
                       [](auto& config, Part part, std::size_t) {
                         if (part != Part::worker) return;
                         config["games"][0]["stop_grace_ms"] = 600'000;
                       }};
  cluster.start();
  Players players{{.masters = cluster.masters()}};
  players.add_burst(2, 1);
  players.run_until_decided();
  Node& worker = cluster.worker(0);
  const auto games = cluster.games(0);
  ASSERT_EQ(games.size(), 2U);
  // A stopped game handles no signal: it ends only if it is killed.
  for (const auto game : games) ::kill(game, SIGSTOP);
  wait_until("the games are stopped",
             [&] { return std::all_of(games.begin(), games.end(), process::stopped); });
  worker.signal(SIGTERM);
  wait_for_line(worker, "room closing");
  EXPECT_TRUE(worker.running());
  worker.signal(SIGTERM);
  EXPECT_EQ(worker.wait_for_end(signal_limit), "exit code 0");
  EXPECT_TRUE(std::none_of(games.begin(), games.end(), process::alive));
  players.hang_up();
  expect_clean_stop(cluster);
}

}  // namespace
}  // namespace fixkeep::integration
