// GET /v1/modes/{mode}/statistics: the recent waits of a mode's requests at this master, and the
// expected wait of a new request.
//
// Thread rule: a value, one owner. Bounds: one WaitEstimator for each mode. The waits of all
// waiting requests are read again at most once per `fresh`. Errors: none.
#pragma once

#include <chrono>
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "common/base/time.hpp"
#include "common/base/wait_estimator.hpp"
#include "master/core/seam/shadow_counts.hpp"
#include "master/rules/mode.hpp"

namespace fixkeep::master {

class ModeWaits {
 public:
  static constexpr Duration fresh = std::chrono::seconds{1};

  explicit ModeWaits(const std::vector<Mode>& modes) { renew(modes); }

  // Replaces the modes. A mode whose name remains keeps its estimate.
  void renew(const std::vector<Mode>& modes);

  // Notes that a request has ended. `seated`: false if the client hung up or was refused.
  void ended(std::size_t mode, bool seated, Duration took, TimePoint now);

  // Returns whether the known waits are too old. If so, call look(), and then waits() for each
  // waiting request.
  [[nodiscard]] bool stale(TimePoint now) const { return now >= looked_at_ + fresh; }
  void look(TimePoint now);
  void waits(std::size_t mode, Duration so_far) { modes_[mode].waiting.add(so_far); }

  // Returns the expected wait of a new request; null: not known.
  [[nodiscard]] nlohmann::ordered_json estimate_json(std::size_t mode, TimePoint now) const;
  // `shadow`: null without shadow rules.
  [[nodiscard]] std::string to_json(std::size_t mode, TimePoint now,
                                    const ShadowCounts* shadow = nullptr) const;

 private:
  struct OfMode {
    ModeName name;
    WaitEstimator estimator;
    WaitHistogram waiting;  // result of the last look
  };
  std::vector<OfMode> modes_;
  TimePoint looked_at_ = TimePoint{} - fresh;
};

}  // namespace fixkeep::master
