// The statistics of match requests by mode: how often each outcome occurred, and after which
// durations.
//
// An outcome is "seated", "cancelled" (the client hung up) or the stable name of the error in the
// answer. Requests that were refused before their mode was known are counted separately.
// Thread rule: a value, one owner. Bounds: the modes times the outcomes that docs/api.md lists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "common/base/duration_histogram.hpp"
#include "master/rules/mode.hpp"

namespace fixkeep::master {

class MatchStatistics {
 public:
  using Outcomes = std::map<std::string_view, std::uint64_t>;  // keys are literals

  struct OfMode {
    ModeName mode;
    std::uint64_t waiting = 0;
    Outcomes outcomes;
    DurationHistogram seated;
    DurationHistogram refused;
    DurationHistogram cancelled;
  };

  static constexpr std::string_view seated = "seated";
  static constexpr std::string_view cancelled = "cancelled";

  explicit MatchStatistics(const std::vector<Mode>& modes) { renew(modes); }

  // Replaces the modes. A mode whose name remains keeps its counts.
  void renew(const std::vector<Mode>& modes);

  void began(std::size_t mode) { ++modes_[mode].waiting; }
  // REQUIRES: a request that has begun. `outcome` is a literal.
  void ended(std::size_t mode, std::string_view outcome, Duration took);
  void refused_at_once(std::string_view outcome) { ++of_no_mode_[outcome]; }

  [[nodiscard]] DurationHistogram seated_in_all_modes() const;
  [[nodiscard]] const std::vector<OfMode>& modes() const { return modes_; }
  [[nodiscard]] const Outcomes& of_no_mode() const { return of_no_mode_; }

 private:
  std::vector<OfMode> modes_;
  Outcomes of_no_mode_;
};

}  // namespace fixkeep::master
