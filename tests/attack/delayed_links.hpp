// The links of a LocalCluster through a relay, which passes everything on later.
//
// Thread rule: one owner, in the test's thread; it outlives the cluster. Errors: as failures of the
// test.
#pragma once

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "client-sim/cluster/driven_process.hpp"
#include "client-sim/cluster/ports.hpp"

namespace fixkeep::attack {

class DelayedLinks {
 public:
  explicit DelayedLinks(std::chrono::milliseconds one_way);
  ~DelayedLinks();
  DelayedLinks(const DelayedLinks&) = delete;
  DelayedLinks& operator=(const DelayedLinks&) = delete;

  // The port of a new wire that leads to this one.
  [[nodiscard]] std::uint16_t wire_to(std::uint16_t port);
  // The node dials every other master through a wire of its own.
  void stretch(nlohmann::json& config, const std::string& self);

 private:
  std::chrono::milliseconds one_way_;
  client_sim::PortSlots slots_;
  std::uint16_t next_ = 0;
  std::uint16_t wires_ = 0;
  std::unique_ptr<client_sim::DrivenProcess> relay_;
};

}  // namespace fixkeep::attack
