// Counts the servers that the fleets of a worker have free, as far as it is known.
//
// A fleet that has just refused a server has none for a while, whatever its object says: that is
// written later than servers are taken.
// Thread rule: one owner; sans-IO. Bounds: the fleets of the configuration. Errors: none.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/time.hpp"

namespace fixkeep::worker::agones {

class FreeServers {
 public:
  static constexpr Duration rest = std::chrono::seconds{5};

  explicit FreeServers(const std::vector<std::string>& fleets) {
    for (const std::string& each : fleets) fleets_[each];
  }

  // Nothing is kept of a fleet that is none of ours.
  void shown(const std::string& fleet, std::uint32_t ready) {
    if (const auto found = fleets_.find(fleet); found != fleets_.end()) found->second.ready = ready;
  }
  void gone(const std::string& fleet) { shown(fleet, 0); }
  // None is left in any of these.
  void refused(const std::vector<std::string>& fleets, TimePoint now) {
    for (const std::string& each : fleets) {
      const auto found = fleets_.find(each);
      if (found != fleets_.end()) found->second.rests_until = now + rest;
    }
  }
  // Nothing: of some fleet it is not known.
  [[nodiscard]] std::optional<std::uint32_t> count(TimePoint now) const {
    std::uint32_t sum = 0;
    for (const auto& [name, fleet] : fleets_) {
      if (fleet.rests_until > now) continue;
      if (!fleet.ready) return std::nullopt;
      sum += *fleet.ready;
    }
    return sum;
  }

 private:
  struct Fleet {
    std::optional<std::uint32_t> ready;
    TimePoint rests_until{};
  };
  std::map<std::string, Fleet> fleets_;
};

}  // namespace fixkeep::worker::agones
