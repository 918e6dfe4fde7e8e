// A master of a LocalCluster whose links to all other nodes can be cut and mended: fixkeep-relay
// carries them. The master still answers clients.
//
// Thread rule: one owner in a single-threaded process, as for DrivenProcess. Errors: failures of
// the test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "client-sim/cluster/driven_process.hpp"
#include "client-sim/cluster/ports.hpp"
#include "tests/support/local_cluster.hpp"

namespace fixkeep::support {

class CutMaster {
 public:
  explicit CutMaster(std::size_t index);
  ~CutMaster();
  CutMaster(const CutMaster&) = delete;
  CutMaster& operator=(const CutMaster&) = delete;

  // For a LocalCluster, whose nodes then reach the master through the relay, and it them.
  [[nodiscard]] LocalCluster::Change change();
  void cut() { set("out"); }  // what is dialled over a link does not arrive, so each link dies
  void mend() { set("none"); }

 private:
  [[nodiscard]] std::string through_relay(const std::string& wire, const std::string& address);
  void set(const char* cut);

  std::size_t index_;
  client_sim::PortSlots slots_;
  std::uint16_t next_port_ = 0;
  std::unique_ptr<client_sim::DrivenProcess> relay_;
  std::map<std::string, std::uint16_t> wires_;  // the relay's port of each
};

}  // namespace fixkeep::support
