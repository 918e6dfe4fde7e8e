// The lists of one room: texts, each at most once, in the order in which they were added, and at
// most as many as a capacity that its mode has named.
//
// Errors are those of Agones' servers, which call all of them SdkCode::unknown; beyond our own
// bounds it is invalid_argument or resource_exhausted. Nothing is changed then.
// Invariant: no list has more values than its capacity, nor one of them twice.
// Thread rule: one owner. Bounds: the number of lists is the mode's; `capacity_most` values of a
// list, bytes of a value and of all values of a list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "worker/sdk/errors.hpp"

namespace fixkeep::worker {

struct ListFacts {
  std::int64_t capacity = 0;
  std::vector<std::string> values;

  friend bool operator==(const ListFacts&, const ListFacts&) = default;
};

// `fields` are those of an update mask: "capacity", "values" and, without effect, "name". What they
// name is replaced, by zero or nothing if need be. Without any, a capacity that is not zero
// replaces the present one, and values that the list does not have are added.
struct ListUpdate {
  std::int64_t capacity = 0;
  std::vector<std::string> values;
  std::vector<std::string> fields;
};

class Lists {
 public:
  using Map = std::map<std::string, ListFacts>;

  static constexpr std::int64_t capacity_most = 1000;
  static constexpr std::size_t value_bytes_most = 1024;
  static constexpr std::size_t values_bytes_most = std::size_t{256} << 10U;

  // A value that does not fit the invariant is left out.
  explicit Lists(Map lists);

  // The list lives as long as this object and is as it is until the next update.
  [[nodiscard]] SdkResult<const ListFacts*> find(const std::string& name) const;

  // True: something is different now. What exceeds the capacity is dropped, the last ones first.
  [[nodiscard]] SdkResult<bool> update(const std::string& name, const ListUpdate& update);
  [[nodiscard]] SdkResult<> add(const std::string& name, const std::string& value);
  [[nodiscard]] SdkResult<> remove(const std::string& name, const std::string& value);

  [[nodiscard]] const Map& all() const { return lists_; }

 private:
  Map lists_;
};

}  // namespace fixkeep::worker
