// A cluster of real processes on this machine: masters, workers and their games. If the links
// between nodes need a delay, a relay runs too.
//
// The programs are in the folder of our own executable. Files and logs are in a temporary folder.
// The folder is removed at the end. After a failure, the folder is kept and its path is reported.
// All processes end when the cluster object ends, or when this process is killed. Thread rule: one
// owner in a single-threaded process. Bounds: start-up and stop have time limits. Errors: a text
// that names the failed program and includes the end of its log.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "client-sim/cluster/config.hpp"
#include "client-sim/cluster/driven_process.hpp"
#include "client-sim/cluster/ports.hpp"
#include "client-sim/load/api.hpp"
#include "common/process/child_process.hpp"

namespace fixkeep::client_sim {

struct StartFailure {
  std::string message;
  bool interrupted = false;
};

struct StopReport {
  std::size_t orphans = 0;              // games that outlived their worker; ended by stop()
  std::vector<std::string> complaints;  // processes that crashed or had to be killed
  bool kept = false;                    // the folder was not removed
};

class Cluster {
 public:
  // Starts a cluster. On return every master is ready and sees every worker.
  [[nodiscard]] static std::variant<std::unique_ptr<Cluster>, StartFailure> start(
      ClusterOptions options);

  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  [[nodiscard]] const std::vector<Endpoint>& masters() const { return masters_; }
  // The masters' listeners for operators.
  [[nodiscard]] const std::vector<Endpoint>& admins() const { return admins_; }
  // The listeners for operators of all masters and workers. They also serve events.
  [[nodiscard]] std::vector<Endpoint> nodes() const;
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

  // Sets the delay of all links between nodes, open links included. Returns the failure, if any.
  // REQUIRES: options.most_link_ms is above 0 and not less than `one_way_ms`.
  [[nodiscard]] std::string change_link_delay(double one_way_ms);
  // Sets the boot time of rooms ordered from now on. Returns the failure, if any. REQUIRES:
  // options.most_link_ms is above 0.
  [[nodiscard]] std::string change_boot_time(std::uint32_t boot_ms);

  // Stops the worker's process (SIGSTOP) or continues it. The worker's games keep running. When the
  // cluster ends, a stopped worker is continued first. REQUIRES: index < workers.
  void stop_worker(std::size_t index);
  void continue_worker(std::size_t index);

  // Stop a master's process (SIGSTOP) and continue it. Meanwhile, the master's clients wait.
  void stop_master(std::size_t index);
  void continue_master(std::size_t index);
  // Kill a master's process (SIGKILL) and start the master again. start_master() returns the
  // failure, if any, and REQUIRES that the master was killed.
  void kill_master(std::size_t index);
  [[nodiscard]] std::string start_master(std::size_t index);
  // If `cut` is true, messages between the master and other nodes arrive too late to be useful. If
  // `cut` is false, messages need their usual time again. Returns the failure, if any. REQUIRES:
  // the cluster has wires.
  [[nodiscard]] std::string cut_master(std::size_t index, bool cut);

  // Names of the processes that ended without a request to stop.
  [[nodiscard]] std::vector<std::string> ended();

  // Asks all processes together to end, and kills the rest after a time limit. The folder is kept
  // if `keep` is set, or if the logs in it may explain a complaint in the report.
  StopReport stop(bool keep);

 private:
  struct Part {
    std::string name;
    process::ChildProcess process;
    bool killed = false;  // kill_master() was called
  };

  explicit Cluster(ClusterOptions options) : options_(std::move(options)) {}
  // Each of these functions returns the failure; empty on success.
  std::string take_ports();
  std::string start_relay();
  std::string take_engine(const std::filesystem::path& game);
  void remove_containers(StopReport& report);
  std::string launch();
  StartFailure wait_until_ready();
  std::string launch_part(const std::string& name, const std::string& program,
                          const std::string& config);
  [[nodiscard]] Result<process::ChildProcess> run(const std::string& name,
                                                  const std::string& program) const;
  [[nodiscard]] std::string log_tail(const std::string& name) const;

  ClusterOptions options_;
  PortSlots slots_;
  ClusterPorts ports_;
  std::filesystem::path folder_;
  std::vector<Endpoint> masters_;
  std::vector<Endpoint> admins_;
  std::unique_ptr<DrivenProcess> relay_;  // null without distances
  std::vector<Part> parts_;
  ContainerRooms containers_;  // used if rooms are containers
};

// The folder of our own executable.
[[nodiscard]] std::filesystem::path program_folder();

}  // namespace fixkeep::client_sim
