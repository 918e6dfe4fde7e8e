// The counters of one room: numbers from 0 to a capacity. The room's mode defines their names.
//
// An update sets the capacity, then sets the count, and then adds its difference to the count. If
// the capacity is below the count, the count is lowered too. All errors are SdkCode::unknown, as in
// Agones' servers. After an error nothing has changed. Invariant: 0 <= count <= capacity, for each
// counter.
// Thread rule: one owner. Bounds: see the mode.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "worker/sdk/errors.hpp"

namespace fixkeep::worker {

struct CounterFacts {
  std::int64_t count = 0;
  std::int64_t capacity = 0;

  friend bool operator==(const CounterFacts&, const CounterFacts&) = default;
};

struct CounterUpdate {
  std::optional<std::int64_t> capacity;
  std::optional<std::int64_t> count;
  std::int64_t difference = 0;  // 0: none
};

class Counters {
 public:
  using Map = std::map<std::string, CounterFacts>;

  // Sets a counter that breaks the invariant to the nearest valid value.
  explicit Counters(Map counters);

  [[nodiscard]] SdkResult<CounterFacts> find(const std::string& name) const;
  // Returns whether something has changed.
  [[nodiscard]] SdkResult<bool> update(const std::string& name, const CounterUpdate& update);

  [[nodiscard]] const Map& all() const { return counters_; }

 private:
  Map counters_;
};

}  // namespace fixkeep::worker
