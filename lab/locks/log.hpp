// Reads the logs of contending fixkeep-lock-nodes and derives the history of the lock.
//
// All times are from one clock (CLOCK_MONOTONIC). The logs of all nodes thus form one history.
// Thread rule: values and pure functions. Errors: lines that cannot be read are counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace fixkeep::client_sim {

enum class AcquireOutcome : std::uint8_t { granted, lost, abandoned };

struct Acquire {
  std::size_t node = 0;
  AcquireOutcome outcome = AcquireOutcome::granted;
  std::uint32_t key = 0;
  std::uint64_t counter = 0;  // counter of the token
  std::int64_t asked_ns = 0;
  std::int64_t ended_ns = 0;     // end of the wait
  std::int64_t released_ns = 0;  // end of the hold
};

// Appends the acquires of one node in the format of lock/node/contend_loop.hpp. Returns the number
// of malformed lines.
std::size_t read_lock_log(std::string_view text, std::size_t node, std::vector<Acquire>& acquires);

struct LockHistory {
  std::uint64_t grants = 0;
  std::uint64_t losses = 0;          // waits that failed before the end of the run
  std::uint64_t handovers = 0;       // grants whose previous holder was another node
  std::uint64_t double_holders = 0;  // grants while another node held the key
  std::uint64_t tokens_fell = 0;     // grants whose token was not above the previous token
  // Jain's index of fairness: 1 for equally many grants to every node, 1/nodes if one node got all.
  double fairness = 0;
  // The largest number of grants of a key to other nodes during one wait for that key. The
  // simulator counts in the same way.
  std::uint64_t longest_overtaking = 0;
  std::int64_t longest_wait_ns = 0;  // longest wait, unfinished waits included
  std::vector<double> waits_us;      // waits that ended with a grant
};

// `acquires` may be in any order.
[[nodiscard]] LockHistory judge_history(std::vector<Acquire> acquires, std::size_t nodes);

}  // namespace fixkeep::client_sim
