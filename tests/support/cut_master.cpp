#include "tests/support/cut_master.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <variant>

namespace fixkeep::support {
namespace {

using namespace std::chrono_literals;
using client_sim::DrivenProcess;

}  // namespace

CutMaster::CutMaster(std::size_t index) : index_(index) {
  const auto ports = slots_.take(1);
  if (ports) next_port_ = ports->first;
  auto started = DrivenProcess::start("relay", "fixkeep-relay", {}, "/dev/null");
  auto* relay = std::get_if<std::unique_ptr<DrivenProcess>>(&started);
  if (!ports || relay == nullptr) throw std::runtime_error("no relay for a test");
  relay_ = std::move(*relay);
}

CutMaster::~CutMaster() {
  EXPECT_TRUE(relay_->quit(5s));
}

LocalCluster::Change CutMaster::change() {
  return [this](LocalCluster::Config& config, Part part, std::size_t index) {
    const bool ours = part == Part::master && index == index_;
    LocalCluster::Config& masters =
        part == Part::master ? config["mesh"]["masters"] : config["masters"];
    for (std::size_t other = 0; other < masters.size(); ++other) {
      const bool crosses = ours ? other != index_ : other == index_;
      if (!crosses) continue;
      const std::string wire =
          (part == Part::master ? "m" : "w") + std::to_string(index) + "-m" + std::to_string(other);
      auto& address = masters.at(other)["address"];
      address = through_relay(wire, address);
    }
  };
}

std::string CutMaster::through_relay(const std::string& wire, const std::string& address) {
  const auto known = wires_.find(wire);
  if (known != wires_.end()) return client_sim::loopback(known->second);
  const std::uint16_t port = next_port_++;
  const auto reply = relay_->ask({{"do", "open"},
                                  {"wire", wire},
                                  {"listen", port},
                                  {"target", client_sim::port_of(address)},
                                  {"delay_ms", 0}},
                                 5s);
  EXPECT_TRUE(reply) << reply.failure;
  wires_[wire] = port;
  return client_sim::loopback(port);
}

void CutMaster::set(const char* cut) {
  for (const auto& [wire, port] : wires_) {
    const auto reply = relay_->ask({{"do", "change"}, {"wire", wire}, {"cut", cut}}, 5s);
    EXPECT_TRUE(reply) << reply.failure;
  }
}

}  // namespace fixkeep::support
