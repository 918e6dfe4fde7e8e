// A value that one class changes and all others read. Another class that tries to change it does
// not compile. The one class keeps the invariants of the value.
//
// Thread rule: the value's. Errors: none.
#pragma once

#include <utility>

namespace fixkeep::master {

template <class Keeper, class Value>
class KeptBy {
 public:
  KeptBy() = default;
  explicit KeptBy(Value value) : value_(std::move(value)) {}

  [[nodiscard]] const Value& operator*() const { return value_; }
  [[nodiscard]] const Value* operator->() const { return &value_; }

 private:
  friend Keeper;
  [[nodiscard]] Value& change() { return value_; }

  Value value_{};
};

}  // namespace fixkeep::master
