// A cluster of real processes for a test, each of which can be killed, stopped and started again.
//
// Unlike client-sim's Cluster it lets the test change every configuration file before the start,
// and knows what a test has done to a process: only a process that the test has not killed itself
// must end cleanly. Waiting is on conditions with generous limits, never for a time.
// Thread rule: single-threaded process (the death signal of children belongs to the forking
// thread).
// Errors: std::runtime_error if something cannot be started or a condition does not come true; it
// names what was waited for.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "client-sim/cluster/config.hpp"
#include "client-sim/cluster/ports.hpp"
#include "client-sim/load/api.hpp"
#include "common/process/child_process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace fixkeep::support {

inline constexpr std::chrono::milliseconds condition_limit{30'000};

// Polls. Throws when the limit is over.
void wait_until(const std::string& what, const std::function<bool()>& condition,
                std::chrono::milliseconds limit = condition_limit);

// One process of the cluster, running or not.
class Node {
 public:
  Node(std::string name, std::string program, std::filesystem::path folder)
      : name_(std::move(name)), program_(std::move(program)), folder_(std::move(folder)) {}

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::string log() const;
  [[nodiscard]] std::filesystem::path config_file() const { return folder_ / (name_ + ".json"); }
  [[nodiscard]] pid_t pid() const { return process_->pid(); }
  [[nodiscard]] bool running() { return process_ && process_->running(); }

  // Of the next start: no more open file descriptors than this, and none to be had beyond it.
  void limit_descriptors(std::size_t most) { descriptors_ = most; }
  void start(const nlohmann::json& config);
  void start_with_text(const std::string& config);
  // The program takes its own place, with --upgrade. How the one before it ended.
  [[nodiscard]] std::string upgrade(std::chrono::milliseconds limit);
  void signal(int number) { process_->signal(number); }
  void kill();  // SIGKILL, and waits for the end
  // SIGTERM, and waits: how it ended, or "still running". Not complained about afterwards.
  [[nodiscard]] std::string terminate(std::chrono::milliseconds limit);
  [[nodiscard]] std::string wait_for_end(std::chrono::milliseconds limit);

 private:
  void launch(const std::vector<std::string>& options);

  std::string name_;
  std::string program_;
  std::filesystem::path folder_;
  std::optional<std::size_t> descriptors_;
  std::optional<process::ChildProcess> process_;
};

// The environment that the process was started with.
[[nodiscard]] std::map<std::string, std::string> environment_of(pid_t process);

enum class Part : std::uint8_t { master, worker };

class LocalCluster {
 public:
  using Config = nlohmann::json;
  // Called for each file before it is written; index counts from zero.
  using Change = std::function<void(Config&, Part, std::size_t index)>;

  explicit LocalCluster(client_sim::ClusterOptions options, Change change = nullptr);
  ~LocalCluster();
  LocalCluster(const LocalCluster&) = delete;
  LocalCluster& operator=(const LocalCluster&) = delete;

  // Masters and workers; returns when every master is ready and sees every worker.
  void start();
  void wait_until_ready();

  [[nodiscard]] Node& master(std::size_t index) { return masters_.at(index); }
  [[nodiscard]] Node& worker(std::size_t index) { return workers_.at(index); }
  [[nodiscard]] Config config(Part part, std::size_t index) const;

  [[nodiscard]] client_sim::Endpoint http(std::size_t master) const;
  [[nodiscard]] client_sim::Endpoint mesh(std::size_t master) const;
  // Where operators ask.
  [[nodiscard]] client_sim::Endpoint admin(std::size_t master) const;
  [[nodiscard]] client_sim::Endpoint worker_admin(std::size_t worker) const;
  [[nodiscard]] std::vector<client_sim::Endpoint> masters() const;

  // As a master tells it: the rows of /v1/rooms and /v1/workers; empty if it does not answer.
  [[nodiscard]] std::vector<nlohmann::json> rooms(std::size_t master) const;
  [[nodiscard]] std::vector<nlohmann::json> workers(std::size_t master) const;
  // Rooms that the workers the master knows have ever started.
  [[nodiscard]] std::size_t rooms_started(std::size_t master) const;
  // The processes of the games that a worker runs, without their keepers.
  [[nodiscard]] std::vector<pid_t> games(std::size_t worker) const;

  // Ends everybody who still runs, with SIGTERM. Each thing that is wrong about it: a process that
  // did not end cleanly or in time, a game process that is left over.
  [[nodiscard]] std::vector<std::string> stop();

 private:
  [[nodiscard]] nlohmann::json look(std::size_t master, const std::string& target) const;

  client_sim::ClusterOptions options_;
  Change change_;
  client_sim::PortSlots slots_;
  client_sim::ClusterPorts ports_;
  std::vector<std::uint16_t> worker_admin_;
  std::string secret_ = "the secret of a cluster in a test";
  test::TemporaryFolder folder_;
  std::vector<Node> masters_;
  std::vector<Node> workers_;
};

}  // namespace fixkeep::support
