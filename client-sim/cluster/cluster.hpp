// A cluster of real processes on this machine: masters, workers and their games and a relay if
// nodes are to be a distance apart.
//
// The programs are those beside our own executable. Files and logs lie in a temporary folder. It is
// removed at the end or kept and named after a failure. All processes end with the cluster object.
// They also end if we are killed. Thread rule: one owner in a single-threaded process. Bounds:
// start-up time and time to stop. Errors: a text that names the failed program and has the end of
// its log.
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
  std::size_t orphans = 0;              // games that outlived their worker; ended now
  std::vector<std::string> complaints;  // processes that crashed or had to be killed
  bool kept = false;                    // the folder is still there
};

class Cluster {
 public:
  // Ready to serve when it returns: every master is ready and sees every worker.
  [[nodiscard]] static std::variant<std::unique_ptr<Cluster>, StartFailure> start(
      ClusterOptions options);

  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  [[nodiscard]] const std::vector<Endpoint>& masters() const { return masters_; }
  // Operators ask the masters here.
  [[nodiscard]] const std::vector<Endpoint>& admins() const { return admins_; }
  // Every master and worker tells its events here.
  [[nodiscard]] std::vector<Endpoint> nodes() const;
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

  // Holds from now on for all links between nodes. Open ones count. REQUIRES: most_link_ms of the
  // options was above 0 and `one_way_ms` is no more. Returns the failure.
  [[nodiscard]] std::string change_link_delay(double one_way_ms);
  // Rooms that are ordered from now on take so long to boot. Returns what went wrong. REQUIRES: as
  // above.
  [[nodiscard]] std::string change_boot_time(std::uint32_t boot_ms);

  // Stops the worker where it stands or lets it go on. Its games run all the time. A worker that is
  // stopped still goes on when the cluster ends. REQUIRES: index < workers.
  void stop_worker(std::size_t index);
  void continue_worker(std::size_t index);

  // The same for a master; its clients get as much time.
  void stop_master(std::size_t index);
  void continue_master(std::size_t index);
  // REQUIRES: it is started again before the cluster ends. start_master returns what went wrong.
  void kill_master(std::size_t index);
  [[nodiscard]] std::string start_master(std::size_t index);
  // Messages between the master and other nodes come too late to be of use or in their usual time
  // again. REQUIRES: the cluster has wires. Returns the failure.
  [[nodiscard]] std::string cut_master(std::size_t index, bool cut);

  // Names of the processes that ended unasked.
  [[nodiscard]] std::vector<std::string> ended();

  // All processes at once are asked and then made to end. The folder stays if `keep` says so or if
  // its logs may explain anything in the report.
  StopReport stop(bool keep);

 private:
  struct Part {
    std::string name;
    process::ChildProcess process;
  };

  explicit Cluster(ClusterOptions options) : options_(std::move(options)) {}
  // Each returns the problem or nothing.
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

// Where our own executable lies.
[[nodiscard]] std::filesystem::path program_folder();

}  // namespace fixkeep::client_sim
