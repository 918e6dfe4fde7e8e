// Converts members of a record to numbers and texts of the wire format, and back.
//
// Thread rule: free functions without state. Bounds, errors: from_number() returns false for a
// number beyond the member's type.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "common/base/ids.hpp"

namespace fixkeep::record {

inline constexpr std::uint64_t no_bound = std::numeric_limits<std::uint64_t>::max();

enum class Form : std::uint8_t { number = 0, eight_bytes = 1, length = 2, four_bytes = 5 };

template <class Tag, class Rep>
[[nodiscard]] constexpr std::uint64_t to_number(NumberedId<Tag, Rep> id) {
  return id.number();
}
template <class Rep, class Period>
[[nodiscard]] constexpr std::uint64_t to_number(std::chrono::duration<Rep, Period> time) {
  return static_cast<std::uint64_t>(time.count());
}
template <class Clock, class Duration>
[[nodiscard]] constexpr std::uint64_t to_number(std::chrono::time_point<Clock, Duration> time) {
  return to_number(time.time_since_epoch());
}
template <class Number>
requires std::integral<Number> || std::is_enum_v<Number>
[[nodiscard]] constexpr std::uint64_t to_number(Number number) {
  return static_cast<std::uint64_t>(number);
}

// Returns false if the number is out of the type's range. For milliseconds the range is 32 bits.
template <class Tag, class Rep>
[[nodiscard]] constexpr bool from_number(std::uint64_t number, NumberedId<Tag, Rep>& out) {
  out = NumberedId<Tag, Rep>{static_cast<Rep>(number)};
  return number <= std::numeric_limits<Rep>::max();
}
[[nodiscard]] constexpr bool from_number(std::uint64_t number, std::chrono::milliseconds& out) {
  out = std::chrono::milliseconds{number & 0xFFFFFFFFU};
  return number <= 0xFFFFFFFFU;
}
[[nodiscard]] constexpr bool from_number(std::uint64_t number, std::chrono::microseconds& out) {
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  out = std::chrono::microseconds{static_cast<std::int64_t>(number & most)};
  return number <= most;
}
template <class Clock, class Duration>
[[nodiscard]] constexpr bool from_number(std::uint64_t number,
                                         std::chrono::time_point<Clock, Duration>& out) {
  out = std::chrono::time_point<Clock, Duration>{Duration{static_cast<std::int64_t>(number)}};
  return true;
}
[[nodiscard]] constexpr bool from_number(std::uint64_t number, std::int64_t& out) {
  out = static_cast<std::int64_t>(number);
  return true;
}
template <std::unsigned_integral Number>
[[nodiscard]] constexpr bool from_number(std::uint64_t number, Number& out) {
  out = static_cast<Number>(number);
  return std::same_as<Number, bool> || number <= std::numeric_limits<Number>::max();
}

template <class Tag>
[[nodiscard]] const std::string& text_of(const NamedId<Tag>& id) {
  return id.text();
}
[[nodiscard]] inline const std::string& text_of(const std::string& text) {
  return text;
}

template <class Value>
struct MapEntry {
  using IsMapEntry = void;

  std::string key;
  Value value{};
};
template <class Fields, class Entry>
requires requires {
  typename Entry::IsMapEntry;
}
void describe(Fields& fields, Entry& entry) {
  fields.text(1, entry.key, no_bound);
  if constexpr (requires { text_of(entry.value); }) {
    fields.text(2, entry.value, no_bound);
  } else {
    fields.nested(2, entry.value);
  }
}

// An optional time is sent as a record with one field, because 0 is also a time.
struct Moment {
  std::chrono::milliseconds in{};
};
template <class Fields, class Time>
requires std::same_as<std::remove_const_t<Time>, Moment>
void describe(Fields& fields, Time& moment) {
  fields.number(1, moment.in);
}

}  // namespace fixkeep::record
