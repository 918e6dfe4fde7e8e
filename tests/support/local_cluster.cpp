#include "tests/support/local_cluster.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <thread>

#include "client-sim/cluster/cluster.hpp"
#include "common/process/proc.hpp"
#include "tests/support/http_calls.hpp"

namespace fixkeep::support {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr milliseconds poll{10};
constexpr milliseconds stop_limit{20'000};
constexpr milliseconds keeper_limit{5000};  // for a room whose worker was killed to end

// Of its log: for those who have only what a test printed.
std::string last_lines(const Node& node) {
  constexpr std::size_t most = 4'000;
  const std::string log = node.log();
  return "== end of the log of " + node.name() + "\n" +
         log.substr(log.size() - std::min(log.size(), most));
}

std::vector<nlohmann::json> rows(const nlohmann::json& document, const char* name) {
  if (!document.is_object() || !document.contains(name)) return {};
  return document.at(name).get<std::vector<nlohmann::json>>();
}

}  // namespace

std::map<std::string, std::string> environment_of(pid_t process) {
  std::map<std::string, std::string> variables;
  std::ifstream file{"/proc/" + std::to_string(process) + "/environ"};
  for (std::string each; std::getline(file, each, '\0');) {
    const auto equals = each.find('=');
    if (equals != std::string::npos) variables[each.substr(0, equals)] = each.substr(equals + 1);
  }
  return variables;
}

void wait_until(const std::string& what, const std::function<bool()>& condition,
                milliseconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= end)
      throw std::runtime_error{"waited in vain until " + what};
    std::this_thread::sleep_for(poll);
  }
}

// --- one process ---------------------------------------------------------------------------------

std::string Node::log() const {
  std::ifstream file{folder_ / (name_ + ".log")};
  return {std::istreambuf_iterator<char>{file}, {}};
}

void Node::start(const nlohmann::json& config) {
  start_with_text(config.dump(2));
}

void Node::start_with_text(const std::string& config) {
  std::ofstream{config_file()} << config;
  launch({});
}

std::string Node::upgrade(milliseconds limit) {
  process::ChildProcess before = std::move(*process_);
  launch({"--upgrade"});
  return before.wait(limit) ? before.how_it_ended() : "still running";
}

void Node::launch(const std::vector<std::string>& options) {
  std::vector<std::string> command{(client_sim::program_folder() / program_).string(), "--config",
                                   config_file().string()};
  command.insert(command.end(), options.begin(), options.end());
  if (descriptors_) {
    const std::string script =
        "ulimit -n " + std::to_string(*descriptors_) + " && exec \"$0\" \"$@\"";
    command.insert(command.begin(), {"/bin/sh", "-c", script});
  }
  auto process = process::ChildProcess::start(command, folder_ / (name_ + ".log"));
  if (!process) throw std::runtime_error{"cannot start " + program_};
  process_.emplace(std::move(*process));
}

void Node::kill() {
  process_->signal(SIGKILL);
  process_->wait(stop_limit);
  process_.reset();
}

std::string Node::terminate(milliseconds limit) {
  process_->signal(SIGTERM);
  return wait_for_end(limit);
}

std::string Node::wait_for_end(milliseconds limit) {
  if (!process_->wait(limit)) return "still running";
  std::string how = process_->how_it_ended();
  process_.reset();
  return how;
}

// --- all of them ---------------------------------------------------------------------------------

LocalCluster::LocalCluster(client_sim::ClusterOptions options, Change change)
    : options_(std::move(options)), change_(std::move(change)) {
  process::adopt_orphans();
  const auto nodes = slots_.take(1);
  if (!nodes) throw std::runtime_error{"no free ports"};
  auto next = nodes->first;
  for (std::size_t index = 0; index < options_.masters; ++index) {
    ports_.http.push_back(next++);
    ports_.mesh.push_back(next++);
    ports_.admin.push_back(next++);
    masters_.emplace_back("m" + std::to_string(index + 1), "fixkeep-master", folder_.path());
  }
  for (std::size_t index = 0; index < options_.workers; ++index) {
    const auto range = slots_.take(1);
    if (!range) throw std::runtime_error{"no free ports"};
    ports_.rooms.push_back(*range);
    worker_admin_.push_back(next++);
    workers_.emplace_back("w" + std::to_string(index + 1), "fixkeep-worker", folder_.path());
  }
}

LocalCluster::~LocalCluster() {
  // A wait in vain throws, and is a failure only when it has been caught.
  if (::testing::Test::HasFailure() || std::uncaught_exceptions() > 0) {
    std::cout << "configuration and logs are kept in " << folder_.string() << '\n';
    for (auto* nodes : {&masters_, &workers_}) {
      for (const Node& node : *nodes) std::cout << last_lines(node) << '\n';
    }
    folder_.keep();
  }
  for (auto* nodes : {&masters_, &workers_}) {
    for (Node& node : *nodes) {
      if (node.running()) node.kill();
    }
  }
  (void)process::end_orphans(keeper_limit);
}

LocalCluster::Config LocalCluster::config(Part part, std::size_t index) const {
  const auto game = (client_sim::program_folder() / "fixkeep-demo-game").string();
  auto config = Config::parse(
      part == Part::master ? client_sim::master_config(options_, ports_, index, secret_)
                           : client_sim::worker_config(options_, ports_, index, secret_, game));
  if (part == Part::worker) config["admin"]["port"] = worker_admin_.at(index);
  if (change_) change_(config, part, index);
  return config;
}

void LocalCluster::start() {
  for (std::size_t index = 0; index < masters_.size(); ++index) {
    masters_[index].start(config(Part::master, index));
  }
  for (std::size_t index = 0; index < workers_.size(); ++index) {
    workers_[index].start(config(Part::worker, index));
  }
  wait_until_ready();
}

void LocalCluster::wait_until_ready() {
  for (std::size_t index = 0; index < masters_.size(); ++index) {
    if (!masters_[index].running()) continue;
    const auto& name = masters_[index].name();
    wait_until(name + " is ready", [&] {
      const auto reply = get(http(index), "/readyz");
      return reply && reply->status == 200;
    });
    if (config(Part::master, index).at("admin").at("port") == 0) continue;
    wait_until(name + " sees every worker", [&] {
      std::size_t running = 0;
      for (auto& worker : workers_) running += worker.running() ? 1 : 0;
      return workers(index).size() == running;
    });
  }
}

client_sim::Endpoint LocalCluster::http(std::size_t master) const {
  return {.host = "127.0.0.1", .port = ports_.http.at(master)};
}

client_sim::Endpoint LocalCluster::mesh(std::size_t master) const {
  return {.host = "127.0.0.1", .port = ports_.mesh.at(master)};
}

client_sim::Endpoint LocalCluster::admin(std::size_t master) const {
  return {.host = "127.0.0.1", .port = ports_.admin.at(master)};
}

client_sim::Endpoint LocalCluster::worker_admin(std::size_t worker) const {
  return {.host = "127.0.0.1", .port = worker_admin_.at(worker)};
}

std::vector<client_sim::Endpoint> LocalCluster::masters() const {
  std::vector<client_sim::Endpoint> all;
  for (std::size_t index = 0; index < masters_.size(); ++index) all.push_back(http(index));
  return all;
}

nlohmann::json LocalCluster::look(std::size_t master, const std::string& target) const {
  const auto token = config(Part::master, master).at("admin").value("token", "");
  return get_json(admin(master), target, token);
}

std::vector<nlohmann::json> LocalCluster::rooms(std::size_t master) const {
  return rows(look(master, "/v1/rooms?limit=1000"), "rooms");
}

std::vector<nlohmann::json> LocalCluster::workers(std::size_t master) const {
  return rows(look(master, "/v1/workers"), "workers");
}

std::size_t LocalCluster::rooms_started(std::size_t master) const {
  std::size_t started = 0;
  for (const auto& worker : workers(master)) started += worker.at("rooms_started").get<int>();
  return started;
}

std::vector<pid_t> LocalCluster::games(std::size_t worker) const {
  std::vector<pid_t> games;
  for (const pid_t starter : process::children_of(workers_.at(worker).pid())) {
    for (const pid_t keeper : process::children_of(starter)) {
      std::ranges::copy(process::descendants_of(keeper), std::back_inserter(games));
    }
  }
  return games;
}

std::vector<std::string> LocalCluster::stop() {
  std::vector<std::string> complaints;
  std::vector<Node*> nodes;
  for (Node& node : masters_) nodes.push_back(&node);
  for (Node& node : workers_) nodes.push_back(&node);
  std::erase_if(nodes, [&](Node* node) { return !node->running(); });
  for (Node* node : nodes) node->signal(SIGTERM);
  for (Node* node : nodes) {
    const auto how = node->wait_for_end(stop_limit);
    if (how != "exit code 0") complaints.push_back(node->name() + ": " + how);
  }
  const auto orphans = process::end_orphans(keeper_limit);
  if (orphans > 0) complaints.push_back(std::to_string(orphans) + " game processes are left over");
  return complaints;
}

}  // namespace fixkeep::support
