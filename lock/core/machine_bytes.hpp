// Fields of a lock machine as bytes, for hashing and for the model checker. Two machines are equal
// exactly if their bytes are equal. Numbers are varints, so small states stay small.
// Thread rule: free functions without state. Errors: none.
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "lock/core/messages.hpp"

namespace fixkeep::lock {

class MachineBytes {
 public:
  explicit MachineBytes(std::string& out) : out_(out) {}

  template <class... Fields>
  void put(const Fields&... fields) {
    (add(fields), ...);
  }

 private:
  template <class Number>
  requires(std::integral<Number> || std::is_enum_v<Number>) void add(Number number) {
    auto value = static_cast<std::uint64_t>(number);
    for (; value >= 0x80U; value >>= 7U) out_ += static_cast<char>(value | 0x80U);
    out_ += static_cast<char>(value);
  }
  template <class Tag, class Rep>
  void add(NumberedId<Tag, Rep> id) {
    add(id.number());
  }
  template <class Tag>
  void add(const NamedId<Tag>& id) {
    add(id.text());
  }
  void add(TimePoint at) { add(static_cast<std::uint64_t>(at.time_since_epoch().count())); }
  void add(const FencingToken& token) { put(token.counter, token.master); }
  void add(const std::string& text) {
    add(text.size());
    out_ += text;
  }
  void add(const LockTurn& turn) { put(turn.master, turn.number, turn.waits); }
  void add(const LockValue& value) { put(value.stamp, value.fence, value.uncertain, value.bytes); }
  template <class First, class Second>
  void add(const std::pair<First, Second>& pair) {
    put(pair.first, pair.second);
  }
  template <class Value>
  void add(const std::optional<Value>& value) {
    add(value.has_value());
    if (value) add(*value);
  }
  template <class Value>
  void add(const std::set<Value>& values) {
    add_all(values);
  }
  template <class Value>
  void add(const std::vector<Value>& values) {
    add_all(values);
  }
  template <class Name, class Value>
  void add(const std::map<Name, Value>& values) {
    add_all(values);
  }
  void add_all(const auto& values) {
    add(values.size());
    for (const auto& value : values) add(value);
  }

  std::string& out_;
};

}  // namespace fixkeep::lock
