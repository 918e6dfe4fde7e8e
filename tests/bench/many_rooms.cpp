// fixkeep-bench-rooms: a real master with thousands of rooms that change all the time, for whoever
// wants to look at it: the dashboard, fixkeepctl, a browser test.
//
// Starts a master on loopback, and is its workers (room_player.hpp). Says where the dashboard is
// once all workers are linked, and ends after `seconds`, or with SIGTERM; the master ends with it.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include "tests/bench/loopback_master.hpp"
#include "tests/bench/room_player.hpp"

namespace {

using namespace fixkeep;
using std::chrono::milliseconds;

constexpr milliseconds tick{20};

struct Options {
  bench::LoopbackMasterOptions master;
  std::uint32_t rooms = 10'000;
  std::uint32_t workers = 4;
  std::uint32_t groups = 500;
  std::uint32_t changes_per_s = 500;
  std::uint32_t seconds = 60;
};

class Show {
 public:
  Show(boost::asio::io_context& context, const Options& options)
      : options_(options), timer_(context) {
    for (std::uint32_t i = 0; i < options.workers; ++i) {
      bench::RoomPlayerOptions player;
      player.worker = "w" + std::to_string(i + 1);
      player.zone = i % 2 == 0 ? "a" : "b";
      player.rooms = options.rooms / options.workers;
      player.groups = options.groups;
      player.capacity = options.master.capacity;
      player.mesh_port = options.master.mesh_port;
      player.seed = i + 1;
      players_.push_back(std::make_unique<bench::RoomPlayer>(context, player));
    }
  }

  void go_on() {
    timer_.expires_after(tick);
    timer_.async_wait([this](boost::system::error_code error) {
      if (error) return;
      play();
      go_on();
    });
  }

 private:
  void play() {
    const auto all = [&](const auto& player) { return player->linked(); };
    if (!std::all_of(players_.begin(), players_.end(), all)) return;
    if (!std::exchange(told_, true)) {
      std::printf("dashboard http://127.0.0.1:%u/\n", unsigned{options_.master.admin_port});
      std::fflush(stdout);
    }
    // What a tick has no whole change for is owed to the next one.
    owed_ += static_cast<double>(options_.changes_per_s) * std::chrono::duration<double>(tick) /
             std::chrono::seconds{1};
    const auto changes = static_cast<std::size_t>(owed_);
    owed_ -= static_cast<double>(changes);
    players_[turn_++ % players_.size()]->play(changes);
  }

  Options options_;
  boost::asio::steady_timer timer_;
  std::vector<std::unique_ptr<bench::RoomPlayer>> players_;
  bool told_ = false;
  double owed_ = 0;
  std::size_t turn_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"A master with many rooms that change all the time"};
  Options options;
  auto& master = options.master;
  master.program = bench::default_master_program(argv[0]);
  master.capacity = 8;
  master.http_port = 18'131;
  master.admin_port = 18'133;
  master.mesh_port = 17'131;
  app.add_option("--master", master.program, "the program to look at");
  app.add_option("--rooms", options.rooms, "of all workers together")
      ->check(CLI::Range(1, 100'000));
  app.add_option("--workers", options.workers, "that have them")->check(CLI::Range(1, 100));
  app.add_option("--groups", options.groups, "that the rooms are of")
      ->check(CLI::Range(1, 100'000));
  app.add_option("--capacity", master.capacity, "of a room")->check(CLI::Range(1, 1'000));
  app.add_option("--changes-per-s", options.changes_per_s, "of rooms");
  app.add_option("--seconds", options.seconds, "until it ends by itself");
  app.add_option("--http-port", master.http_port, "of the master");
  app.add_option("--admin-port", master.admin_port, "of the master");
  app.add_option("--mesh-port", master.mesh_port, "of the master");
  CLI11_PARSE(app, argc, argv);

  const bench::LoopbackMaster process{master};
  boost::asio::io_context context{1};
  boost::asio::signal_set signals{context, SIGTERM, SIGINT};
  signals.async_wait([&](boost::system::error_code, int) { context.stop(); });
  Show show{context, options};
  show.go_on();
  context.run_for(std::chrono::seconds{options.seconds});
  return 0;
}
