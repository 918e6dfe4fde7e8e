#include "client-sim/cluster/cluster.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

#include "client-sim/cluster/containers.hpp"
#include "client-sim/cluster/node_ports.hpp"
#include "client-sim/cluster/readiness.hpp"
#include "client-sim/cluster/wires.hpp"
#include "common/base/time_limits.hpp"

namespace fixkeep::client_sim {

namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr milliseconds start_limit{30'000};
constexpr milliseconds stop_limit{10'000};
constexpr milliseconds containers_limit{60'000};  // time for workers to remove their containers
constexpr milliseconds keeper_limit{5000};  // time for a room to end after its worker was killed
// If a worker was killed, its container engine may still carry out the worker's last order for this
// time.
constexpr milliseconds late_order{2000};
constexpr milliseconds relay_limit{5000};  // time limit of each answer of the relay
// A cut link gets this delay: no node waits so long for another node. It is the longest delay that
// the relay accepts.
constexpr double cut_off_ms = 10'000;
constexpr std::size_t log_tail_lines = 15;
// The wait for start-up is divided into slices of this length. After each slice, the cluster looks
// for a process that has ended.
constexpr milliseconds readiness_slice{250};

// A cluster on loopback needs a secret that no other program can guess.
std::string make_secret() {
  std::random_device device;
  std::ostringstream text;
  text << std::hex;
  for (int word = 0; word < 6; ++word) text << device();
  return "client-sim-" + text.str();
}

bool store_text(const fs::path& path, const std::string& text) {
  std::ofstream file{path};
  file << text;
  file.close();
  return !file.fail();
}

}  // namespace

fs::path program_folder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

std::variant<std::unique_ptr<Cluster>, StartFailure> Cluster::start(ClusterOptions options) {
  process::adopt_orphans();
  std::unique_ptr<Cluster> cluster{new Cluster{std::move(options)}};
  StartFailure failure{.message = cluster->take_ports()};
  if (failure.message.empty()) failure.message = cluster->launch();
  if (failure.message.empty()) failure = cluster->wait_until_ready();
  if (failure.message.empty()) return cluster;
  if (!failure.interrupted && !cluster->folder_.empty()) {
    failure.message += "\nconfiguration and logs are kept in " + cluster->folder_.string();
  }
  cluster->stop(!failure.interrupted);
  return failure;
}

Cluster::~Cluster() {
  stop(false);
}

std::string Cluster::take_ports() {
  auto chosen = choose_ports(options_, slots_);
  if (auto* failure = std::get_if<std::string>(&chosen)) return std::move(*failure);
  ports_ = std::get<ClusterPorts>(std::move(chosen));
  for (const auto port : ports_.http) masters_.push_back({.host = "127.0.0.1", .port = port});
  for (const auto port : ports_.admin) admins_.push_back({.host = "127.0.0.1", .port = port});
  return {};
}

std::vector<Endpoint> Cluster::nodes() const {
  auto nodes = admins_;
  for (const auto port : ports_.worker_admin) nodes.push_back({.host = "127.0.0.1", .port = port});
  return nodes;
}

std::string Cluster::launch_part(const std::string& name, const std::string& program,
                                 const std::string& config) {
  const auto path = program_folder() / program;
  if (::access(path.c_str(), X_OK) != 0) return "not there, or not executable: " + path.string();
  const auto file = folder_ / (name + ".json");
  if (!store_text(file, config)) return "cannot write " + file.string();
  auto process = run(name, program);
  if (!process) return "cannot start " + path.string() + ": " + process.error().message();
  parts_.push_back({.name = name, .process = std::move(*process)});
  return {};
}

Result<process::ChildProcess> Cluster::run(const std::string& name,
                                           const std::string& program) const {
  const auto path = program_folder() / program;
  const auto file = folder_ / (name + ".json");
  return process::ChildProcess::start({path.string(), "--config", file.string()},
                                      folder_ / (name + ".log"));
}

std::string Cluster::start_relay() {
  if (ports_.wires.empty()) return {};
  auto started = DrivenProcess::start("relay", "fixkeep-relay",
                                      {std::to_string(options_.relay_seed)}, folder_ / "relay.log");
  if (auto* failure = std::get_if<std::string>(&started)) return std::move(*failure);
  relay_ = std::move(std::get<std::unique_ptr<DrivenProcess>>(started));
  for (const auto& wire : ports_.wires) {
    const auto opened = relay_->ask({{"do", "open"},
                                     {"wire", wire.from + "-" + wire.to},
                                     {"listen", wire.listen},
                                     {"target", wire.target},
                                     {"delay_ms", wire.one_way_ms},
                                     {"jitter_ms", options_.distances.jitter_ms},
                                     {"loss_percent", options_.distances.loss_percent}},
                                    relay_limit);
    if (!opened) return opened.failure;
  }
  return {};
}

std::string Cluster::take_engine(const fs::path& game) {
  if (options_.runner == "process") return {};
  auto engine = engine_of_this_machine(options_.runner);
  if (!engine.problem.empty()) return engine.problem;
  auto image = ContainerEngine{engine}.image_of(game, folder_);
  if (!image.failure.empty()) return image.failure;
  containers_ = {.engine = std::move(engine), .image = std::move(image.name)};
  return {};
}

std::string Cluster::launch() {
  auto pattern = (fs::temp_directory_path() / "fixkeep-cluster-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) return "cannot make a folder like " + pattern;
  folder_ = pattern;
  if (options_.most_link_ms > 0) {
    options_.boot_ms_file = folder_ / "boot-ms";
    if (auto failure = change_boot_time(options_.boot_ms); !failure.empty()) return failure;
  }
  const auto game = program_folder() / "fixkeep-demo-game";
  if (::access(game.c_str(), X_OK) != 0) return "not there, or not executable: " + game.string();
  if (auto failure = take_engine(game); !failure.empty()) return failure;
  if (auto failure = start_relay(); !failure.empty()) return failure;
  const auto secret = make_secret();
  for (std::size_t index = 0; index < options_.masters; ++index) {
    auto failure = launch_part("master-" + std::to_string(index + 1), "fixkeep-master",
                               master_config(options_, ports_, index, secret));
    if (!failure.empty()) return failure;
  }
  for (std::size_t index = 0; index < options_.workers; ++index) {
    auto failure =
        launch_part("worker-" + std::to_string(index + 1), "fixkeep-worker",
                    worker_config(options_, ports_, index, secret, game.string(), containers_));
    if (!failure.empty()) return failure;
  }
  return {};
}

StartFailure Cluster::wait_until_ready() {
  const auto longer = time_limits::round_trips * milliseconds{slowest_round_trip_ms(options_)};
  const auto end = std::chrono::steady_clock::now() + start_limit + 2 * longer;
  Readiness state;
  while (std::chrono::steady_clock::now() < end) {
    state = wait_for_readiness(admins_, {options_.workers, options_.warm}, readiness_slice);
    if (state.ready) return {};
    if (state.interrupted) return {.message = "interrupted", .interrupted = true};
    for (auto& part : parts_) {
      if (part.process.running()) continue;
      return {.message = part.name + " ended at the start (" + part.process.how_it_ended() +
                         "):\n" + log_tail(part.name)};
    }
  }
  return {.message =
              fmt::format("not ready after {} s: {}\n{}", (start_limit + 2 * longer).count() / 1000,
                          state.what_is_missing, log_tail("master-1"))};
}

std::string Cluster::change_link_delay(double one_way_ms) {
  for (const auto& wire : ports_.wires) {
    const auto changed = relay_->ask(
        {{"do", "change"}, {"wire", wire.from + "-" + wire.to}, {"delay_ms", one_way_ms}},
        relay_limit);
    if (!changed) return changed.failure;
  }
  return {};
}

// The file is replaced as a whole, because a game can read the file at any moment.
std::string Cluster::change_boot_time(std::uint32_t boot_ms) {
  const fs::path file{options_.boot_ms_file};
  const auto fresh = fs::path{options_.boot_ms_file + ".new"};
  std::error_code error;
  const bool stored = store_text(fresh, std::to_string(boot_ms) + "\n");
  if (stored) fs::rename(fresh, file, error);
  return stored && !error ? "" : "cannot write " + file.string();
}

void Cluster::stop_worker(std::size_t index) {
  parts_.at(options_.masters + index).process.signal(SIGSTOP);
}

void Cluster::continue_worker(std::size_t index) {
  parts_.at(options_.masters + index).process.signal(SIGCONT);
}

void Cluster::stop_master(std::size_t index) {
  parts_.at(index).process.signal(SIGSTOP);
}

void Cluster::continue_master(std::size_t index) {
  parts_.at(index).process.signal(SIGCONT);
}

void Cluster::kill_master(std::size_t index) {
  auto& part = parts_.at(index);
  part.killed = true;
  part.process.signal(SIGKILL);
  part.process.wait(stop_limit);
}

std::string Cluster::start_master(std::size_t index) {
  auto& part = parts_.at(index);
  auto process = run(part.name, "fixkeep-master");
  if (!process) return "cannot start " + part.name + " again: " + process.error().message();
  part.process = std::move(*process);
  part.killed = false;
  return {};
}

std::string Cluster::cut_master(std::size_t index, bool cut) {
  const auto name = master_name(index);
  for (const auto& wire : ports_.wires) {
    if (wire.from != name && wire.to != name) continue;
    const auto changed = relay_->ask({{"do", "change"},
                                      {"wire", wire.from + "-" + wire.to},
                                      {"delay_ms", cut ? cut_off_ms : wire.one_way_ms}},
                                     relay_limit);
    if (!changed) return changed.failure;
  }
  return {};
}

std::string Cluster::log_tail(const std::string& name) const {
  std::ifstream file{folder_ / (name + ".log")};
  std::deque<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    lines.push_back(std::move(line));
    if (lines.size() > log_tail_lines) lines.pop_front();
  }
  std::string tail;
  for (const auto& line : lines) tail += "  " + line + "\n";
  return tail.empty() ? "  (it logged nothing)\n" : tail;
}

std::vector<std::string> Cluster::ended() {
  std::vector<std::string> names;
  for (auto& part : parts_) {
    if (!part.killed && !part.process.running()) {
      names.push_back(part.name + " (" + part.process.how_it_ended() + ")");
    }
  }
  if (relay_ && !relay_->process().running()) {
    names.push_back("relay (" + relay_->process().how_it_ended() + ")");
  }
  return names;
}

// Removes the containers of killed workers. All other workers have removed their own containers.
void Cluster::remove_containers(StopReport& report) {
  if (!report.complaints.empty()) std::this_thread::sleep_for(late_order);
  const ContainerEngine engine{containers_.engine};
  auto removed = engine.remove_rooms_of(options_.id, keeper_limit);
  report.orphans += removed.containers;
  if (!removed.failure.empty()) report.complaints.push_back(std::move(removed.failure));
}

StopReport Cluster::stop(bool keep) {
  StopReport report;
  const bool started = !parts_.empty();
  for (auto& name : ended()) report.complaints.push_back("ended by itself: " + name);
  for (auto& part : parts_) {
    part.process.signal(SIGTERM);
    part.process.signal(SIGCONT);  // a stopped process does not act on SIGTERM
  }
  const bool contained = !containers_.image.empty();
  const auto end = std::chrono::steady_clock::now() + (contained ? containers_limit : stop_limit);
  for (auto& part : parts_) {
    const auto left =
        std::chrono::duration_cast<milliseconds>(end - std::chrono::steady_clock::now());
    if (part.process.wait(std::max(left, milliseconds{0}))) continue;
    report.complaints.push_back("had to be killed: " + part.name);
    part.process.signal(SIGKILL);
    part.process.wait(stop_limit);
  }
  parts_.clear();
  // The relay ends last, so that nodes that stop can still send their last messages to each other.
  if (relay_ && !relay_->quit(stop_limit)) {
    report.complaints.emplace_back("had to be killed: relay");
  }
  relay_.reset();
  if (started) report.orphans = process::end_orphans(keeper_limit);
  if (started && contained) remove_containers(report);
  report.kept = !folder_.empty() && (keep || report.orphans > 0 || !report.complaints.empty());
  std::error_code ignored;  // if the folder remains in /tmp, the run does not fail
  if (!report.kept && !folder_.empty()) fs::remove_all(folder_, ignored);
  folder_.clear();
  return report;
}

}  // namespace fixkeep::client_sim
