// Runs a cluster of fixkeep-lock-node processes. Each process runs the lock of a master, but is not
// a master.
//
// Thread rule: one owner in a single-threaded process. Bounds: the limits of each wait. Errors: a
// text with the failure and the end of the node's log.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "client-sim/cluster/driven_process.hpp"
#include "client-sim/cluster/ports.hpp"

namespace fixkeep::client_sim {

struct LockNodesOptions {
  std::string strategy = "multiphase";
  std::vector<std::string> servers;  // addresses, for a strategy that needs servers
  std::size_t masters = 3;
  std::uint32_t lease_ms = 5000;
  std::uint16_t first_port = 0;  // master n listens on this port + n
  std::string cluster;           // unique among runs on the same servers
  std::filesystem::path folder;  // folder for logs and certificates
  bool tls = false;              // use certificates, made for this run
  // All connections go through fixkeep-relay, for cut_outgoing(). The relay uses the ports after
  // those of the masters.
  bool relayed = false;
};

class LockNodes {
 public:
  // Starts the nodes and waits until all are ready.
  [[nodiscard]] static std::variant<std::unique_ptr<LockNodes>, std::string> start(
      LockNodesOptions options);
  ~LockNodes() = default;
  LockNodes(const LockNodes&) = delete;
  LockNodes& operator=(const LockNodes&) = delete;

  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  [[nodiscard]] DrivenProcess& node(std::size_t index) { return *nodes_[index]; }
  [[nodiscard]] const LockNodesOptions& options() const { return options_; }

  // Sends SIGKILL and waits until the process has ended.
  void kill(std::size_t index);
  // Stops the process without a word (SIGSTOP). It closes no socket, as if its machine had
  // vanished.
  void freeze(std::size_t index);
  // Loses all bytes from this node, until mend(). Bytes to it arrive. Returns the failure.
  // REQUIRES: options().relayed.
  [[nodiscard]] std::string cut_outgoing(std::size_t index) { return change_wires(index, true); }
  [[nodiscard]] std::string mend(std::size_t index) { return change_wires(index, false); }
  // Starts the node again and waits until it is ready. Returns the failure; empty: success.
  [[nodiscard]] std::string restart(std::size_t index);
  // Stops all nodes. Returns the failure; empty: success.
  [[nodiscard]] std::string stop();

 private:
  explicit LockNodes(LockNodesOptions options) : options_(std::move(options)) {}
  std::string start_relay();
  std::string change_wires(std::size_t index, bool cut);
  std::string launch(std::size_t index);
  std::string wait_until_ready(std::size_t index);
  [[nodiscard]] std::filesystem::path log_of(std::size_t index) const;

  LockNodesOptions options_;
  std::unique_ptr<DrivenProcess> relay_;
  std::vector<std::unique_ptr<DrivenProcess>> nodes_;
};

}  // namespace fixkeep::client_sim
