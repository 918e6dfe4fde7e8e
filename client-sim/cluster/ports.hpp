// Free loopback ports for a local cluster, in blocks. No other local cluster has the same block.
//
// The ports form 80 slots of 250 ports each, below the kernel's range for outgoing connections. The
// owner of a slot binds its guard port (31000 + slot). The kernel gives a guard port to one process
// only. It frees the port when this process ends in any way.
// Thread rule: one owner. Errors: no sequence of free slots is left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fixkeep::client_sim {

struct PortRange {
  std::uint16_t first = 0;
  std::uint16_t last = 0;  // inclusive
};

class PortSlots {
 public:
  static constexpr std::uint16_t slot_ports = 250;
  static constexpr std::uint16_t slots = 80;

  PortSlots() = default;
  ~PortSlots();
  PortSlots(const PortSlots&) = delete;
  PortSlots& operator=(const PortSlots&) = delete;

  // From now on, skips all slots below the slot that contains `port`. REQUIRES: one of the 80 slots
  // contains `port`.
  void skip_to(std::uint16_t port);

  // Takes `count` consecutive slots. Each port in these slots can be bound.
  [[nodiscard]] std::optional<PortRange> take(std::size_t count);

 private:
  bool take_slot(std::uint16_t slot);

  std::vector<int> guards_;
  std::uint16_t next_ = 0;
};

// Converts a port to "127.0.0.1:6379" and back. REQUIRES: an address of this form.
[[nodiscard]] std::string loopback(std::uint16_t port);
[[nodiscard]] std::uint16_t port_of(const std::string& loopback_address);

// Returns true if all `count` loopback ports from `first` on are free.
[[nodiscard]] bool all_free(std::uint16_t first, std::size_t count);

}  // namespace fixkeep::client_sim
