// This strategy has no lock at all. It shows the duplicate rooms that the locks prevent.
//
// It grants immediately, asks no peer and never needs a fence. Its tokens grow from grant to grant
// on one master, but not from master to master.
// Fault model: none. Thread rule: a value, one owner. Bounds: O(1). Errors: none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lock/core/lock_machine.hpp"
#include "lock/core/machine_bytes.hpp"

namespace fixkeep::lock {

class NoLock {
 public:
  explicit NoLock(const MeshView& mesh) : self_(mesh.self) {}

  void step(const LockEvent& event, TimePoint, LockActions& out) {
    if (std::holds_alternative<Acquire>(event)) {
      holding_ = true;
      highest_ = token_after(highest_, self_);
      out.emplace_back(Granted{highest_, value_, false});
    } else if (const auto* release = std::get_if<Release>(&event)) {
      holding_ = false;
      highest_ = std::max(highest_, release->token);
    }
  }

  [[nodiscard]] std::optional<LockMessage> hello() const { return {}; }
  [[nodiscard]] std::string_view state() const { return holding_ ? "acquired" : "idle"; }
  [[nodiscard]] bool holding() const { return holding_; }
  [[nodiscard]] bool forgettable() const { return !holding_; }
  [[nodiscard]] std::uint64_t round() const { return 0; }
  [[nodiscard]] FencingToken highest() const { return highest_; }
  void raise(std::uint64_t floor) { highest_ = std::max(highest_, FencingToken{floor, {}}); }
  [[nodiscard]] const LockValue& value() const { return value_; }
  [[nodiscard]] static std::string_view kind_name(std::uint8_t) { return "?"; }

  friend bool operator==(const NoLock&, const NoLock&) = default;
  void append_bytes(std::string& out) const { MachineBytes{out}.put(highest_, holding_); }

 private:
  MasterId self_;
  FencingToken highest_;
  LockValue value_;  // stays empty: no message carries a value
  bool holding_ = false;
};
static_assert(LockMachine<NoLock>);

}  // namespace fixkeep::lock
