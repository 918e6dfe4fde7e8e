// The lists of one room: different texts in the order of their addition, up to a capacity. The mode
// names the lists.
//
// Errors are SdkCode::unknown, as in Agones' servers. If a bound of FIX Keep itself is exceeded,
// the error is invalid_argument or resource_exhausted. After an error nothing has changed.
// Invariant: no list has more values than its capacity, or contains a value twice. Thread rule: one
// owner. Bounds: the mode sets the number of lists; `capacity_most` values of a list; bytes of a
// value and of all values of a list.
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

// `fields` is an update mask. It may contain "capacity", "values" and "name" (without effect).
// Fields in the mask are replaced, even by zero or an empty list. If the mask is empty, a non-zero
// capacity replaces the present capacity, and new values are added.
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

  // Leaves out values that would break the invariant.
  explicit Lists(Map lists);

  // Returns a pointer that is valid as long as this object. An update changes the list in place.
  [[nodiscard]] SdkResult<const ListFacts*> find(const std::string& name) const;

  // Returns whether something has changed. Values beyond the capacity are dropped from the end of
  // the list.
  [[nodiscard]] SdkResult<bool> update(const std::string& name, const ListUpdate& update);
  [[nodiscard]] SdkResult<> add(const std::string& name, const std::string& value);
  [[nodiscard]] SdkResult<> remove(const std::string& name, const std::string& value);

  [[nodiscard]] const Map& all() const { return lists_; }

 private:
  Map lists_;
};

}  // namespace fixkeep::worker
