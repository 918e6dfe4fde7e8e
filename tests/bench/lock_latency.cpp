// fixkeep-bench-lock: what one acquire and release of a mesh lock costs, beside one framed round
// trip over the very same links.
//
// Forks one process a master, each with a real LinkHub on loopback and a real LockTable. The first
// one measures, in turns of a block each so that a change of the machine's speed hits both:
//   round trip   a LockMessage to master 2 and its echo
//   lock         acquire() to Granted, then release(); the release waits for nobody
// Prints one line of JSON. Ends by itself; the children end with their parent.

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "common/lock/lock_table.hpp"
#include "common/net/link.hpp"

namespace {

using namespace fixkeep;
using std::chrono::steady_clock;

constexpr std::uint8_t echo_kind = 255;  // of no strategy; the other side sends it back

struct BenchOptions {
  std::string strategy = "multiphase";
  int masters = 3;
  int rounds = 20'000;
  int blocks = 20;
  std::uint16_t first_port = 17'301;
};

TimePoint steady_now() {
  return TimePoint{std::chrono::duration_cast<Duration>(steady_clock::now().time_since_epoch())};
}

std::string name_of(int master) {
  return to_string(MasterId{static_cast<std::uint16_t>(master)});
}

// One master: links, lock table, and what the measuring one does when something happens.
class Node {
 public:
  Node(boost::asio::io_context& context, const BenchOptions& options, int self)
      : context_(context), options_(options), self_(self), table_(table_options(), steady_now()) {}

  bool open() {
    net::LinkOptions links;
    links.cluster = "bench";
    links.secret = "a secret for the benchmark only";
    links.self = {net::Role::master, name_of(self_),
                  Incarnation{static_cast<std::uint64_t>(getpid())}};
    links.listen_address = "127.0.0.1";
    links.listen_port = port_of(self_);
    for (int other = 1; other <= options_.masters; ++other)
      links.known_masters.push_back(name_of(other));
    net::LinkHandlers handlers;
    handlers.on_up = [this](const net::Node& node) {
      table_.connected(id_of(node), {}, steady_now(), actions_);
      perform();
    };
    handlers.on_message = [this](const net::Node& node, wire::Message&& message) {
      receive(node, message);
    };
    handlers.on_down = [this](const net::Node& node, boost::system::error_code) {
      table_.disconnected(id_of(node), steady_now(), actions_);
      perform();
    };
    auto hub = net::LinkHub::start(context_, links, handlers);
    if (!hub) return false;
    hub_ = std::move(*hub);
    for (int other = 1; other < self_; ++other)
      hub_->dial(name_of(other), "127.0.0.1", port_of(other));
    return true;
  }

  [[nodiscard]] bool joined() const { return table_.joined(); }

  void measure_lock(std::vector<double>& microseconds) {
    const auto start = steady_clock::now();
    table_.acquire(key_, steady_now(), actions_);
    perform();
    run_until([this] { return granted_; });
    granted_ = false;
    table_.release(key_, token_, {.stamp = token_, .bytes = "a lock value"}, steady_now(),
                   actions_);
    perform();
    microseconds.push_back(since(start));
  }

  void measure_round_trip(std::vector<double>& microseconds) {
    const auto start = steady_clock::now();
    echoed_ = false;
    hub_->send(
        net::Role::master, name_of(2),
        wire::LockMessage{key_, echo_kind, 1, token_, {.stamp = token_, .bytes = "a lock value"}});
    run_until([this] { return echoed_; });
    microseconds.push_back(since(start));
  }

 private:
  [[nodiscard]] std::uint16_t port_of(int master) const {
    return static_cast<std::uint16_t>(options_.first_port + master);
  }

  static MasterId id_of(const net::Node& node) {
    return MasterId{static_cast<std::uint16_t>(std::stoi(node.name.substr(1)))};
  }

  static double since(steady_clock::time_point start) {
    return std::chrono::duration<double, std::micro>(steady_clock::now() - start).count();
  }

  [[nodiscard]] lock::LockTableOptions table_options() const {
    lock::LockTableOptions table;
    table.strategy = options_.strategy;
    table.self = MasterId{static_cast<std::uint16_t>(self_)};
    for (int other = 1; other <= options_.masters; ++other) {
      if (other != self_) table.peers.push_back(MasterId{static_cast<std::uint16_t>(other)});
    }
    return table;
  }

  void receive(const net::Node& node, const wire::Message& message) {
    const auto* lock = std::get_if<wire::LockMessage>(&message);
    if (lock != nullptr && lock->kind == echo_kind) {
      if (self_ == 1) {
        echoed_ = true;
      } else {
        hub_->send(net::Role::master, node.name, message);
      }
      return;
    }
    (void)table_.receive(id_of(node), message, steady_now(), actions_);
    perform();
  }

  void perform() {
    for (const auto& action : actions_) {
      if (const auto* send = std::get_if<lock::SendToPeer>(&action)) {
        hub_->send(net::Role::master, to_string(send->to), send->message);
      } else if (const auto* granted = std::get_if<lock::KeyGranted>(&action)) {
        granted_ = true;
        token_ = granted->token;
      }
    }
    actions_.clear();
  }

  template <class Condition>
  void run_until(Condition condition) {
    while (!condition()) context_.run_one();
  }

  boost::asio::io_context& context_;
  const BenchOptions& options_;
  int self_;
  GroupKey key_{"bench/region=eu-west/version=1.4.22"};
  lock::LockTable table_;
  lock::TableActions actions_;
  std::unique_ptr<net::LinkHub> hub_;
  FencingToken token_;
  bool granted_ = false;
  bool echoed_ = false;
};

int serve(const BenchOptions& options, int self) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  boost::asio::io_context context;
  Node node{context, options, self};
  if (!node.open()) return 1;
  context.run();
  return 0;
}

nlohmann::json percentiles(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const auto at = [&](double share) {
    return samples[static_cast<std::size_t>(share * static_cast<double>(samples.size() - 1))];
  };
  return {{"p50", at(0.5)}, {"p99", at(0.99)}};
}

int measure(const BenchOptions& options) {
  boost::asio::io_context context;
  Node node{context, options, 1};
  if (!node.open()) {
    std::cerr << "cannot listen on port " << options.first_port + 1 << "; choose --first-port\n";
    return 1;
  }
  const auto give_up = steady_clock::now() + std::chrono::seconds{10};
  while (!node.joined()) {
    context.run_one_for(std::chrono::milliseconds{100});
    if (steady_clock::now() > give_up) {
      std::cerr << "the masters did not find each other within 10 s\n";
      return 1;
    }
  }

  std::vector<double> lock_us;
  std::vector<double> round_trip_us;
  const int per_block = std::max(1, options.rounds / options.blocks);
  for (int i = 0; i < per_block; ++i) node.measure_lock(lock_us);  // warm up
  lock_us.clear();
  for (int block = 0; block < options.blocks; ++block) {
    for (int i = 0; i < per_block; ++i) node.measure_round_trip(round_trip_us);
    for (int i = 0; i < per_block; ++i) node.measure_lock(lock_us);
  }

  const auto lock = percentiles(std::move(lock_us));
  const auto round_trip = percentiles(std::move(round_trip_us));
  std::cout << nlohmann::json{{"strategy", options.strategy},
                              {"masters", options.masters},
                              {"rounds", per_block * options.blocks},
                              {"acquire_release_us", lock},
                              {"round_trip_us", round_trip},
                              {"ratio_p50",
                               lock["p50"].get<double>() / round_trip["p50"].get<double>()}}
                   .dump()
            << '\n';
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  BenchOptions options;
  CLI::App app{"Acquire and release of a mesh lock beside one framed round trip"};
  app.add_option("--strategy", options.strategy, "lock strategy");
  app.add_option("--masters", options.masters, "masters, each a process")->check(CLI::Range(2, 9));
  app.add_option("--rounds", options.rounds, "samples of each kind")
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--first-port", options.first_port, "master n listens on this port + n");
  CLI11_PARSE(app, argc, argv);

  std::vector<pid_t> children;
  for (int self = 2; self <= options.masters; ++self) {
    const pid_t child = fork();
    if (child == 0) _exit(serve(options, self));
    children.push_back(child);
  }
  const int status = measure(options);
  for (const pid_t child : children) {
    kill(child, SIGTERM);
    waitpid(child, nullptr, 0);
  }
  return status;
}
