#include "tests/attack/delayed_links.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <variant>

namespace fixkeep::attack {

using client_sim::DrivenProcess;

DelayedLinks::DelayedLinks(std::chrono::milliseconds one_way) : one_way_(one_way) {
  const auto ports = slots_.take(1);
  if (!ports) throw std::runtime_error{"no free ports"};
  next_ = ports->first;
  auto started = DrivenProcess::start("relay", "fixkeep-relay", {}, "/dev/null");
  if (auto* failure = std::get_if<std::string>(&started)) throw std::runtime_error{*failure};
  relay_ = std::move(std::get<std::unique_ptr<DrivenProcess>>(started));
}

DelayedLinks::~DelayedLinks() {
  EXPECT_TRUE(relay_->quit(std::chrono::seconds{5}));
}

std::uint16_t DelayedLinks::wire_to(std::uint16_t port) {
  const std::uint16_t near_end = next_++;
  const auto reply = relay_->ask({{"do", "open"},
                                  {"wire", "wire " + std::to_string(++wires_)},
                                  {"listen", near_end},
                                  {"target", port},
                                  {"delay_ms", one_way_.count()}},
                                 std::chrono::seconds{5});
  EXPECT_TRUE(reply) << reply.failure;
  return near_end;
}

void DelayedLinks::stretch(nlohmann::json& config, const std::string& self) {
  auto& masters = config.contains("masters") ? config["masters"] : config["mesh"]["masters"];
  for (auto& master : masters) {
    if ("m" + std::to_string(master["id"].get<int>()) == self) continue;
    const std::string address = master["address"];
    master["address"] = client_sim::loopback(wire_to(client_sim::port_of(address)));
  }
}

}  // namespace fixkeep::attack
