// Real lock servers for tests: children on free ports of the loopback, with a folder of their own.
//
// Thread rule: single-threaded process. Errors: std::runtime_error if a server does not start.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "client-sim/child_process.hpp"
#include "client-sim/ports.hpp"
#include "common/engine/engine.hpp"

namespace fixkeep::engine {

// A folder that goes when its owner goes.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// One server that can be killed, stopped with SIGSTOP and started again with the same data.
class LockServer {
 public:
  LockServer(std::vector<std::string> command, std::uint16_t port, std::filesystem::path log);

  void start();  // returns when the port is open
  void kill();   // SIGKILL, and waits for the end
  void pause();
  void resume();
  [[nodiscard]] ServerAddress address() const { return {"127.0.0.1", port_}; }

 private:
  std::vector<std::string> command_;
  std::uint16_t port_;
  std::filesystem::path log_;
  std::optional<client_sim::ChildProcess> process_;
};

class EtcdServers {
 public:
  explicit EtcdServers(std::size_t members);

  [[nodiscard]] LockServer& member(std::size_t index) { return members_.at(index); }
  [[nodiscard]] std::vector<ServerAddress> addresses() const;
  // Starts all; returns when the members have a leader.
  void start();
  void lose_data();  // REQUIRES: none runs

 private:
  TemporaryFolder folder_;
  client_sim::PortSlots slots_;
  std::vector<LockServer> members_;
};

class ZookeeperServer {
 public:
  ZookeeperServer();

  [[nodiscard]] LockServer& server() { return *server_; }

 private:
  TemporaryFolder folder_;
  client_sim::PortSlots slots_;
  std::optional<LockServer> server_;
};

}  // namespace fixkeep::engine
