// The judge of a lock that is not part of FIX Keep. It knows what each node believes about each
// key, and judges the writes that the nodes send to the resource behind the lock.
//
// A node believes that it holds a key from its answer "acquired" until it releases the key, reports
// that it lost the key, or is killed. A stopped process does nothing, so its belief does not count.
// It counts again when the process continues. The fence is the resource's own check: it refuses a
// write whose token is below the highest token that it has seen (Kleppmann, "How to do distributed
// locking", 2016).
//
// Thread rule: one owner. Bounds: one entry for each node and key; one duration for each wait and
// outage. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "common/base/time.hpp"

namespace fixkeep::own_lock {

using Token = std::optional<std::uint64_t>;  // absent: the lock gives no tokens

struct Figures {
  std::uint64_t holds = 0;
  std::uint64_t lost = 0;      // holds that a node reported as lost
  std::uint64_t overlaps = 0;  // beginnings of a period with two believers of one key
  Duration two_believers{};    // total time with two or more believers
  std::uint64_t writes = 0;
  std::uint64_t stale_writes = 0;    // writes by a node after another node was granted the key
  std::uint64_t past_the_fence = 0;  // stale writes that the fence did not refuse
  std::uint64_t tokens = 0;          // grants with a token
  std::uint64_t fenced = 0;          // grants that had to fence and were refused
  std::uint64_t tokens_fell = 0;     // grants whose token was not above all earlier tokens
  std::vector<Duration> waits;       // time between each "acquire" and its "acquired"
  std::vector<Duration> no_holder;  // time between each kill or stop of a holder and the next grant
  std::uint64_t never_granted = 0;  // kills and stops of a holder without a later grant
  Duration open_wait{};             // longest wait that had no answer at the end
  std::uint64_t messages = 0;       // messages between nodes
  std::vector<std::uint64_t> shares;  // holds of each node
};

class Beliefs {
 public:
  explicit Beliefs(std::size_t nodes) { figures_.shares.resize(nodes); }

  // Records a grant. If the grant has a token and needs a fence, the resource checks the token
  // first. If it has seen a higher token, returns false: the node then releases the key
  // immediately.
  [[nodiscard]] bool acquired(std::size_t node, std::size_t key, Token token, bool needs_fence,
                              Duration waited, TimePoint now);
  void released(std::size_t node, std::size_t key, TimePoint now) { end(node, key, now); }
  void lost(std::size_t node, std::size_t key, TimePoint now);
  void stopped(std::size_t node, TimePoint now);
  void continued(std::size_t node, TimePoint now);
  void killed(std::size_t node, TimePoint now);
  // REQUIRES: the node believes that it holds the key.
  void write(std::size_t node, std::size_t key);

  [[nodiscard]] bool believes(std::size_t node, std::size_t key) const;
  // Returns the nodes that believe that they hold the key and are not stopped.
  [[nodiscard]] std::vector<std::size_t> believers(std::size_t key) const;
  // Ends the judging at `now`.
  [[nodiscard]] Figures finish(TimePoint now);

 private:
  struct Key {
    std::map<std::size_t, Token> believers;
    std::optional<std::size_t> latest;   // the node of the latest grant
    std::uint64_t fence = 0;             // highest token in a write
    std::uint64_t highest_token = 0;     // highest token of a grant
    std::optional<TimePoint> two_since;  // start of a period with two believers
    std::optional<TimePoint> ended_at;   // a kill or stop of a holder, until the next grant
  };

  void end(std::size_t node, std::size_t key, TimePoint now);
  void look(Key& key, TimePoint now);
  [[nodiscard]] std::size_t running(const Key& key) const;

  std::map<std::size_t, Key> keys_;
  std::map<std::size_t, bool> stopped_;
  Figures figures_;
};

}  // namespace fixkeep::own_lock
