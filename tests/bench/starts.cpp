// fixkeep-bench-starts: what it takes to start a game and to end it, step by step from a bare loop
// to what a worker does.
//
//   bare      posix_spawn of the demo game, with nothing around it
//   keeper    the same below a keeper (worker/runner/process), which ends with us; in a control
//             group of its own, where we may make some
//   outlive   and the keeper would go on without us, for an hour
//   limits    and the group of the room has limits
//   sdk       and the SDK's servers, REST and gRPC, in the place of a few lines that answer /ready
//
// Games boot in no time. `at-once` are under way at a time; each is ready when it has called
// /ready, and all are ended when the last one is ready. Prints one line of JSON; processor time is
// ours and of all that we have started, from the first start to the last end.

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "common/base/percentiles.hpp"
#include "common/process/c_strings.hpp"
#include "common/process/self.hpp"
#include "worker/runner/process/process_runner.hpp"
#include "worker/sdk/room_sdk.hpp"

namespace {

using namespace fixkeep;
using namespace fixkeep::worker;
using boost::asio::ip::tcp;
using Clock = std::chrono::steady_clock;

struct Options {
  std::string way = "bare";
  std::size_t games = 100;
  std::size_t at_once = 1;
  std::uint16_t first_port = 21'000;
};

double ms_since(Clock::time_point from) {
  return std::chrono::duration<double, std::milli>(Clock::now() - from).count();
}

double processor_ms() {
  double sum = 0;
  for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    getrusage(who, &used);
    for (const auto& time : {used.ru_utime, used.ru_stime}) {
      sum += static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
    }
  }
  return sum;
}

// Answers every call of every game with 200, and says when one has called /ready.
class FewLines {
 public:
  FewLines(boost::asio::io_context& context, std::function<void()> ready)
      : acceptor_(context, {boost::asio::ip::address_v4::loopback(), 0}), ready_(std::move(ready)) {
    accept();
  }
  [[nodiscard]] std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

 private:
  struct Guest {
    explicit Guest(tcp::socket its) : socket(std::move(its)) {}
    tcp::socket socket;
    std::array<char, 4096> bytes{};
  };

  void accept() {
    acceptor_.async_accept([this](boost::system::error_code error, tcp::socket socket) {
      if (error) return;
      serve(std::make_shared<Guest>(std::move(socket)));
      accept();
    });
  }

  // A call of the demo game is one packet.
  void serve(const std::shared_ptr<Guest>& guest) {
    const auto heard = [this, guest](boost::system::error_code error, std::size_t size) {
      if (error) return;
      static const std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
      boost::system::error_code ignored;
      boost::asio::write(guest->socket, boost::asio::buffer(answer), ignored);
      const std::string_view call{guest->bytes.data(), size};
      if (call.starts_with("POST /ready")) ready_();
      serve(guest);
    };
    guest->socket.async_read_some(boost::asio::buffer(guest->bytes), heard);
  }

  tcp::acceptor acceptor_;
  std::function<void()> ready_;
};

class Bench {
 public:
  explicit Bench(const Options& options)
      : options_(options), few_lines_(context_, [this] { on_ready(); }) {}

  int run() {
    namespace fs = std::filesystem;
    const auto folder = fs::temp_directory_path() / ("fixkeep-starts-" + std::to_string(getpid()));
    fs::create_directory(folder);
    game_ = fs::read_symlink("/proc/self/exe").parent_path() / "fixkeep-demo-game";
    const int code = prepare(folder) ? measure() : 1;
    rooms_.clear();
    if (runner_) runner_->stop();
    runner_.reset();
    fs::remove_all(folder);
    return code;
  }

 private:
  bool prepare(const std::filesystem::path& folder) {
    if (options_.way == "bare") return true;
    if (options_.way == "limits" || options_.way == "sdk") limits_.processes = 64;
    const RunnerOptions made{.cluster = "bench",
                             .worker = WorkerId{"bench"},
                             .state_folder = folder.string(),
                             .output = {},
                             .users = {},
                             .limits = {limits_}};
    runner_ = make_process_runner(context_, made);
    if (const auto problem = runner_->open(); !problem.empty()) {
      std::fprintf(stderr, "fixkeep-bench-starts: %s\n", problem.c_str());
      return false;
    }
    runner_->end_others();
    if (options_.way != "sdk") return true;
    auto host = TransportHost::start(context_);
    if (!host) return false;
    host_ = std::make_unique<TransportHost>(std::move(*host));
    return true;
  }

  int measure() {
    const double before = processor_ms();
    const auto began = Clock::now();
    for (std::size_t i = 0; i < std::min(options_.at_once, options_.games); ++i) start_next();
    while (ready_ < options_.games && ended_ == 0) context_.run_one();
    const double wall = ms_since(began);
    if (ended_ > 0) {
      std::fprintf(stderr, "fixkeep-bench-starts: a game has ended: %s\n", why_.c_str());
      return 1;
    }
    end_all();
    const auto games = static_cast<double>(options_.games);
    const double each = (processor_ms() - before) / games;
    // Of one that is started alone; of several at a time it is known only when the next was ready.
    const auto latency = percentiles(latencies_);
    std::printf(R"({"way":"%s","games":%zu,"at_once":%zu,"games_per_s":%.1f,"cpu_ms":%.3f,)"
                R"("p50_ms":%.3f,"p99_ms":%.3f})"
                "\n",
                options_.way.c_str(), options_.games, options_.at_once, games / wall * 1e3, each,
                latency.p50, latency.p99);
    return 0;
  }

  void on_ready() {
    ++ready_;
    latencies_.push_back(ms_since(started_at_[ready_ - 1]));
    if (started_at_.size() < options_.games) start_next();
  }

  std::vector<std::string> environment_of(const std::string& room) const {
    return {"PATH=/usr/bin:/bin", "FIXKEEP_ROOM_ID=" + room, "FIXKEEP_CAPACITY=8",
            "FIXKEEP_SEAT_KEY=" + std::string(64, '0')};
  }

  void start_next() {
    const std::size_t number = started_at_.size() + 1;
    started_at_.push_back(Clock::now());
    const std::string room = "bench-" + std::to_string(getpid()) + "-" + std::to_string(number);
    const std::vector<std::string> command{
        game_, "--port", std::to_string(options_.first_port + number - 1), "--boot-ms", "0"};
    auto environment = environment_of(room);
    if (host_) {
      open_sdk(room, environment);
    } else {
      environment.push_back("AGONES_SDK_HTTP_PORT=" + std::to_string(few_lines_.port()));
    }
    if (!runner_) return spawn(command, environment);
    Launch launch{.game = {.command = command, .environment = std::move(environment)},
                  .name = room};
    launch.game.limits = limits_;
    if (options_.way != "keeper") launch.alone = std::chrono::hours{1};
    launch.grace = std::chrono::seconds{5};
    const auto on_end = [this](const GameEnd& end) {
      ++ended_;
      why_ = end.how;
    };
    runner_->start(RoomNumber{static_cast<std::uint32_t>(number)}, launch,
                   {.ended = on_end, .wrote = {}});
  }

  void open_sdk(const std::string& room, std::vector<std::string>& environment) {
    RoomHandlers handlers;
    handlers.ready = [this] { on_ready(); };
    handlers.health = [] {};
    handlers.changed = [] {};
    auto listeners = open_room_listeners();
    if (!listeners) return;
    rooms_.push_back(std::make_unique<RoomSdk>(*host_, SessionFacts{.room = room}, handlers,
                                               std::move(*listeners), FromTheRoom{}));
    for (const auto& [name, value] : rooms_.back()->variables()) {
      environment.push_back(name + "=" + value);
    }
  }

  void spawn(const std::vector<std::string>& command, const std::vector<std::string>& environment) {
    pid_t pid = 0;
    const int error =
        posix_spawn(&pid, game_.c_str(), nullptr, nullptr, process::c_strings(command).data(),
                    process::c_strings(environment).data());
    if (error != 0) {
      ++ended_;
      why_ = "posix_spawn";
    }
    pids_.push_back(pid);
  }

  void end_all() {
    for (const pid_t pid : pids_) kill(pid, SIGTERM);
    for (const pid_t pid : pids_) waitpid(pid, nullptr, 0);
    if (!runner_) return;
    for (std::size_t number = 1; number <= options_.games; ++number) {
      runner_->ask_to_end(RoomNumber{static_cast<std::uint32_t>(number)});
    }
    while (ended_ < options_.games) context_.run_one();
    runner_->stop();  // what keepers and games have used is their starter's, and ours when it ends
  }

  const Options options_;
  boost::asio::io_context context_{1};
  FewLines few_lines_;
  std::string game_;
  RoomLimits limits_;
  std::shared_ptr<GameRunner> runner_;
  std::unique_ptr<TransportHost> host_;
  std::vector<std::unique_ptr<RoomSdk>> rooms_;
  std::vector<pid_t> pids_;
  std::vector<Clock::time_point> started_at_;
  std::vector<double> latencies_;
  std::size_t ready_ = 0;
  std::size_t ended_ = 0;
  std::string why_;
};

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"What it takes to start a game and to end it"};
  Options options;
  app.add_option("--way", options.way)
      ->check(CLI::IsMember({"bare", "keeper", "outlive", "limits", "sdk"}));
  app.add_option("--games", options.games)->check(CLI::Range(1, 2000));
  app.add_option("--at-once", options.at_once)->check(CLI::Range(1, 2000));
  app.add_option("--first-port", options.first_port)->check(CLI::Range(1024, 30'000));
  CLI11_PARSE(app, argc, argv);
  process::raise_descriptor_limit();
  return Bench{options}.run();
}
