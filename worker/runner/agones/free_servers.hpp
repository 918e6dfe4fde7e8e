// Counts the known free servers in the fleets of a worker.
//
// A fleet that has just refused to give a server counts as empty for the time `rest`. During this
// time the count in the fleet's object is ignored: Agones updates it only after servers are taken.
// A fleet that is missing in a list of all fleets counts as empty.
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

  // Notes a fleet's number of ready servers. Ignores foreign fleets.
  void shown(const std::string& fleet, std::uint32_t ready) {
    if (const auto found = fleets_.find(fleet); found != fleets_.end())
      found->second = {.ready = ready, .rests_until = found->second.rests_until};
  }
  void gone(const std::string& fleet) {
    const auto found = fleets_.find(fleet);
    if (found != fleets_.end()) found->second = {.ready = 0, .is_missing = true};
  }
  // Notes that a list of all fleets begins. A fleet is missing if no shown() follows for it.
  void listed() {
    for (auto& [name, fleet] : fleets_) {
      fleet.ready = 0;
      fleet.is_missing = true;
    }
  }
  // Notes that none of these fleets has a free server.
  void refused(const std::vector<std::string>& fleets, TimePoint now) {
    for (const std::string& each : fleets) {
      const auto found = fleets_.find(each);
      if (found != fleets_.end()) found->second.rests_until = now + rest;
    }
  }
  // Counts the free servers of all fleets. Nullopt: the count of some fleet is unknown.
  [[nodiscard]] std::optional<std::uint32_t> count(TimePoint now) const {
    std::uint32_t sum = 0;
    for (const auto& [name, fleet] : fleets_) {
      if (fleet.rests_until > now) continue;
      if (!fleet.ready) return std::nullopt;
      sum += *fleet.ready;
    }
    return sum;
  }

  // Names the missing fleets, for example "there is no fleet duell". Empty: as far as is known, no
  // fleet is missing.
  [[nodiscard]] std::string missing(const std::vector<std::string>& fleets) const {
    std::string names;
    for (const std::string& each : fleets) {
      const auto found = fleets_.find(each);
      if (found == fleets_.end() || !found->second.is_missing) continue;
      names += (names.empty() ? "" : ", ") + each;
    }
    return names.empty() ? names : "there is no fleet " + names;
  }
  // Says why no server is free. Empty: some servers are free or this is unknown.
  [[nodiscard]] std::string why_none(TimePoint now) const {
    if (fleets_.empty() || count(now).value_or(1) > 0) return {};
    std::vector<std::string> all;
    std::string names;
    for (const auto& [name, fleet] : fleets_) {
      all.push_back(name);
      names += (names.empty() ? "" : ", ") + name;
    }
    const std::string none = missing(all);
    return none.empty() ? "no server is free in fleet " + names : none;
  }

 private:
  struct Fleet {
    std::optional<std::uint32_t> ready;
    TimePoint rests_until{};
    bool is_missing = false;
  };
  std::map<std::string, Fleet> fleets_;
};

}  // namespace fixkeep::worker::agones
