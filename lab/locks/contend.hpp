// Lets nodes contend for keys, and reads what they did.
//
// Thread rule: blocks the calling thread in a single-threaded process. Bounds: the length of the
// measurement and 30 s. Errors: a text; empty: success.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lab/locks/log.hpp"
#include "lab/locks/nodes.hpp"

namespace fixkeep::client_sim {

inline constexpr std::chrono::milliseconds answer_limit{10'000};  // of a lock node

// The time on the machine's monotonic clock, which the nodes also use for `at_us`.
[[nodiscard]] std::int64_t monotonic_us();

[[nodiscard]] std::vector<std::size_t> all_of(const LockNodes& nodes);

struct Contention {
  std::vector<Acquire> acquires;
  double seconds = 0;  // the real length
};

// Sends the contenders the command "contend" and calls `meanwhile`. REQUIRES: `command` has
// "seconds" and "seed".
[[nodiscard]] std::string contend(LockNodes& nodes, const std::vector<std::size_t>& contenders,
                                  nlohmann::json command, const std::function<void()>& meanwhile,
                                  Contention& seen);

}  // namespace fixkeep::client_sim
