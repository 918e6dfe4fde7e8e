// The servers of an engine strategy as real processes on loopback: Redis, etcd, ZooKeeper,
// PostgreSQL or the API server of Kubernetes.
//
// redlock: five independent servers; etcd: an ensemble of three; every other strategy: one server.
// Their data is in a temporary folder that is removed at the end. The servers end when this object
// ends, or when this process is killed. Redis stores nothing on disk: a restart loses all its data.
// This is the worst case for the users of Redis. Thread rule: one owner in a single-threaded
// process (child_process.hpp). Bounds: start-up has a time limit. Errors: a text that names the
// failed server or the package to install.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "client-sim/cluster/ports.hpp"
#include "common/process/child_process.hpp"

namespace fixkeep::client_sim {

struct EngineFailure {
  std::string message;
};

// Returns true if the strategy needs servers.
[[nodiscard]] bool needs_servers(std::string_view strategy);

// Where servers keep their data.
enum class Storage : std::uint8_t {
  disk,    // the disk, as in most installations; for benchmarks
  memory,  // lost if the machine restarts; for tests, because a slow disk would disturb them
};

// Returns the parent folder for temporary data in this storage. If the memory file system is
// missing or too small for an ensemble (etcd reserves 64 MiB a server), returns the usual temporary
// folder.
[[nodiscard]] std::filesystem::path storage_folder(Storage storage);

class EngineServers {
 public:
  // Starts the servers. On return they are ready to serve. REQUIRES: needs_servers(strategy).
  [[nodiscard]] static std::variant<std::unique_ptr<EngineServers>, EngineFailure> start(
      const std::string& strategy, Storage storage = Storage::disk);

  ~EngineServers();
  EngineServers(const EngineServers&) = delete;
  EngineServers& operator=(const EngineServers&) = delete;

  [[nodiscard]] const std::string& strategy() const { return strategy_; }
  [[nodiscard]] std::size_t size() const { return servers_.size(); }
  [[nodiscard]] std::vector<std::string> addresses() const;  // "127.0.0.1:port"
  [[nodiscard]] pid_t pid(std::size_t server) const { return servers_[server].process.pid(); }

  // The leader of an ensemble (etcd), or the first server.
  [[nodiscard]] std::size_t leader() const;

  // --- faults. Each function returns after the fault has happened, or returns false if it did not
  // happen.
  bool kill(std::size_t server);  // SIGKILL
  // Restarts the server with its remaining data. On return the server is ready.
  bool restart(std::size_t server);
  bool restart_killed();  // starts all killed servers together, because an ensemble is ready only
                          // if a majority runs
  void pause(std::size_t server);  // SIGSTOP
  void resume(std::size_t server);
  [[nodiscard]] bool running(std::size_t server) { return servers_[server].process.running(); }

  // Asks all servers to end, and kills the rest after a time limit.
  void stop();

 private:
  struct Server {
    std::string name;
    std::vector<std::string> arguments;
    std::uint16_t port = 0;
    process::ChildProcess process;
  };

  explicit EngineServers(std::string strategy) : strategy_(std::move(strategy)) {}

  std::string prepare(Storage storage);
  std::string prepare_redis(std::size_t count);
  std::string prepare_etcd(std::size_t count);
  std::string prepare_zookeeper();
  std::string launch(std::size_t server);
  std::string wait_until_ready(std::size_t server);
  [[nodiscard]] bool answers(const Server& server) const;
  std::uint16_t next_port() { return next_port_++; }

  std::string strategy_;
  PortSlots slots_;
  std::uint16_t next_port_ = 0;
  std::filesystem::path folder_;
  std::vector<Server> servers_;
};

}  // namespace fixkeep::client_sim
