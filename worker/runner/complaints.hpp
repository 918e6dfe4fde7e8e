// Warnings of one kind. Only a few of these warnings are logged.
// Thread rule: one owner. Bounds: see the limit. Errors: none.
#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "common/obs/log_limit.hpp"

namespace fixkeep::worker {

class Complaints {
 public:
  // `subject` is the log field that names the cause of the warning.
  explicit Complaints(std::string subject) : subject_(std::move(subject)) {}

  void tell(const std::string& what, const std::string& about, const std::string& reason);

 private:
  std::string subject_;
  obs::LogLimit limit_{{.burst = 1,
                        .interval = std::chrono::seconds{10},
                        .longest_interval = std::chrono::minutes{10}}};
};

}  // namespace fixkeep::worker
