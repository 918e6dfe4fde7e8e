// Warnings of one kind: a log needs only a few.
// Thread rule: one owner. Bounds: see the limit. Errors: none.
#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "common/obs/log_limit.hpp"

namespace fixkeep::worker {

class Complaints {
 public:
  // `subject`: the name of the field for the thing concerned.
  explicit Complaints(std::string subject) : subject_(std::move(subject)) {}

  void tell(const std::string& what, const std::string& about, const std::string& reason);

 private:
  std::string subject_;
  obs::LogLimit limit_{{.burst = 1,
                        .interval = std::chrono::seconds{10},
                        .longest_interval = std::chrono::minutes{10}}};
};

}  // namespace fixkeep::worker
