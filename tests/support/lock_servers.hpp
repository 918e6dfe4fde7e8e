// Real lock servers for tests: children on free ports of the loopback, with a folder of their own.
//
// Thread rule: single-threaded process. Errors: std::runtime_error if a server does not start.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client-sim/cluster/lock_servers.hpp"
#include "client-sim/cluster/ports.hpp"
#include "common/process/child_process.hpp"
#include "lock/engines/engine.hpp"
#include "tests/support/temporary_folder.hpp"

namespace fixkeep::engine {

// One server that can be killed, stopped with SIGSTOP and started again with the same data.
class LockServer {
 public:
  LockServer(std::vector<std::string> command, std::uint16_t port, std::filesystem::path log);

  void start();  // returns when the port is open
  void launch();
  void wait_until_open();
  void kill();  // SIGKILL, and waits for the end
  void pause();
  void resume();
  [[nodiscard]] ServerAddress address() const { return {"127.0.0.1", port_}; }

 private:
  std::vector<std::string> command_;
  std::uint16_t port_;
  std::filesystem::path log_;
  std::optional<process::ChildProcess> process_;
};

// The servers of one strategy.
class LockServers {
 public:
  LockServers() = default;
  LockServers(const LockServers&) = delete;
  LockServers& operator=(const LockServers&) = delete;
  virtual ~LockServers() = default;

  [[nodiscard]] virtual std::string strategy() const = 0;
  virtual void lose_data() = 0;  // REQUIRES: none runs

  void start();  // all of them; returns when they can serve
  [[nodiscard]] LockServer& member(std::size_t index) { return members_.at(index); }
  [[nodiscard]] std::vector<ServerAddress> addresses() const;

 protected:
  test::TemporaryFolder folder_{client_sim::storage_folder(client_sim::Storage::memory)};
  client_sim::PortSlots slots_;
  std::vector<LockServer> members_;
};

class EtcdServers : public LockServers {
 public:
  explicit EtcdServers(std::size_t members);
  [[nodiscard]] std::string strategy() const override { return "etcd"; }
  void lose_data() override;
};

class ZookeeperServer : public LockServers {
 public:
  ZookeeperServer();
  [[nodiscard]] std::string strategy() const override { return "zookeeper"; }
  void lose_data() override;
};

class PostgresServer : public LockServers {
 public:
  PostgresServer();
  [[nodiscard]] std::string strategy() const override { return "postgres"; }
  void lose_data() override;
};

class ApiServer : public LockServers {
 public:
  ApiServer();
  [[nodiscard]] std::string strategy() const override { return "kubernetes-lease"; }
  void lose_data() override;
};

// Of the test program: one server, not yet started.
[[nodiscard]] std::unique_ptr<LockServers> make_lock_servers();

}  // namespace fixkeep::engine
