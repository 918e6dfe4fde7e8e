// The counters of one room: numbers between 0 and a capacity that its mode has named.
//
// An update sets the capacity, sets the count and then adds the difference. A capacity below the
// count lowers the count too. Errors are all SdkCode::unknown as in Agones' servers. Nothing is
// changed then. Invariant: 0 <= count <= capacity of each. Thread rule: one owner. Bounds: see the
// mode.
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

  // Brings a counter that breaks the invariant to the nearest value.
  explicit Counters(Map counters);

  [[nodiscard]] SdkResult<CounterFacts> find(const std::string& name) const;
  // True: something has changed.
  [[nodiscard]] SdkResult<bool> update(const std::string& name, const CounterUpdate& update);

  [[nodiscard]] const Map& all() const { return counters_; }

 private:
  Map counters_;
};

}  // namespace fixkeep::worker
