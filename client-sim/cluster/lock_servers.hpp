// The servers of an engine strategy as real processes on loopback: Redis, etcd or ZooKeeper.
//
// redis: one server; redlock: five independent ones; etcd: an ensemble of three; zookeeper: one.
// Their data is in a temporary folder that is removed at the end. They end with this object and
// also if we are killed. Redis keeps nothing on disk: after a restart it has forgotten everything.
// This is the worst case for its users. Thread rule: one owner in a single-threaded process
// (child_process.hpp). Bounds: start-up time. Errors: a text that names the failed server or the
// package to install.
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

// Whether the strategy needs servers at all.
[[nodiscard]] bool needs_servers(std::string_view strategy);

// Where servers keep their data.
enum class Storage : std::uint8_t {
  disk,    // the usual installation, and so the one to benchmark
  memory,  // outlives the servers, not the machine: for tests, which a disk's pauses only disturb
};

// Parent folder of temporary data of this kind. Falls back to the usual temporary folder if there
// is no file system in memory or too little room in it for an ensemble (etcd sets 64 MiB a server
// aside).
[[nodiscard]] std::filesystem::path storage_folder(Storage storage);

class EngineServers {
 public:
  // Ready to serve when it returns. REQUIRES: needs_servers(strategy).
  [[nodiscard]] static std::variant<std::unique_ptr<EngineServers>, EngineFailure> start(
      const std::string& strategy, Storage storage = Storage::disk);

  ~EngineServers();
  EngineServers(const EngineServers&) = delete;
  EngineServers& operator=(const EngineServers&) = delete;

  [[nodiscard]] const std::string& strategy() const { return strategy_; }
  [[nodiscard]] std::size_t size() const { return servers_.size(); }
  [[nodiscard]] std::vector<std::string> addresses() const;  // "127.0.0.1:port"
  [[nodiscard]] pid_t pid(std::size_t server) const { return servers_[server].process.pid(); }

  // --- what happens to servers. Each returns when it has happened; false: it did not.
  bool kill(std::size_t server);  // SIGKILL
  // With the data that they left behind; ready when it returns.
  bool restart(std::size_t server);
  bool restart_killed();           // all at once: an ensemble needs its majority to be ready
  void pause(std::size_t server);  // SIGSTOP
  void resume(std::size_t server);
  [[nodiscard]] bool running(std::size_t server) { return servers_[server].process.running(); }

  // Asks all to end and then makes them.
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
