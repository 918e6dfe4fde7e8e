// A value that one class changes and all others read. A change by another class does not compile.
// The changing class keeps the value's invariants.
//
// Thread rule: that of the value. Errors: none.
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
