// A lock log is what fixkeep-lock-nodes logged while they contended; the history is what follows
// from it.
//
// All times are of one clock (CLOCK_MONOTONIC): the logs of all nodes together are one history.
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
  std::uint64_t losses = 0;          // waits that ended without the lock, not by the end of the run
  std::uint64_t handovers = 0;       // grants of a key that another node was granted before
  std::uint64_t double_holders = 0;  // grants while another node held the key
  std::uint64_t tokens_fell = 0;     // grants with a token that was not above the one before
  // Jain's index of fairness: 1 if every node was granted equally often and 1/nodes if one had all.
  double fairness = 0;
  // The most grants of one key to others during one wait for it as the simulator counts them.
  std::uint64_t longest_overtaking = 0;
  std::int64_t longest_wait_ns = 0;  // longest wait, those cut short by the end of the run included
  std::vector<double> waits_us;      // waits that ended with a grant
};

// The acquires may be in any order.
[[nodiscard]] LockHistory judge_history(std::vector<Acquire> acquires, std::size_t nodes);

}  // namespace fixkeep::client_sim
