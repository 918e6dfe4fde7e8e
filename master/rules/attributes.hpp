// Attributes are the facts in a match request about its player: names with plain values, as in a
// JSON object.
//
// Thread rule: a value. Bounds: the body of a request. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace fixkeep::master {

// A JSON value. std::monostate is null, a list or an object, which no rule accepts.
using PlainValue =
    std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string>;

// Returns the number rounded down. Returns nothing for other values, and for numbers beyond the
// exact range of a double.
[[nodiscard]] std::optional<std::int64_t> whole_number_of(const PlainValue& value);

class Attributes {
 public:
  Attributes() = default;
  Attributes(std::initializer_list<std::pair<std::string, PlainValue>> all) : all_(all) {}

  void reserve(std::size_t count) { all_.reserve(count); }
  // Adds a name with its value. A name that is already present gets the new value.
  void add(std::string&& name, PlainValue&& value) {
    all_.emplace_back(std::move(name), std::move(value));
  }
  // Returns null if the attribute is missing.
  [[nodiscard]] const PlainValue* find(std::string_view name) const {
    for (auto at = all_.rbegin(); at != all_.rend(); ++at) {
      if (at->first == name) return &at->second;
    }
    return nullptr;
  }

 private:
  std::vector<std::pair<std::string, PlainValue>> all_;  // for equal names the last value is valid
};

}  // namespace fixkeep::master
