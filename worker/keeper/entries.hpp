// Writes and reads the fields of a value as a text of entries. Each field, or each member of a
// list, is one entry: a letter and a text (texts.hpp). A letter never changes its meaning. Unknown
// letters are skipped, so an older program can read the known part of a newer text.
//
// The type of a value has a function visit(fields). It passes each field with its letter to the
// writer or the reader. Thread rule: values. Bounds: see texts.hpp. Errors: a text is refused if it
// is cut, or if a number is malformed or does not fit.
#pragma once

#include <charconv>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "worker/keeper/texts.hpp"

namespace fixkeep::worker::keeper {

struct EntryWriter {
  std::string& out;

  void operator()(char letter, const std::string& value) const {
    out += letter;
    append_text(out, value);
  }
  template <class Number>
  requires std::is_integral_v<Number>
  void operator()(char letter, const Number& value) const {
    (*this)(letter, std::to_string(value));
  }
  void operator()(char letter, const std::chrono::milliseconds& value) const {
    (*this)(letter, value.count());
  }
  template <class Value>
  void operator()(char letter, const std::vector<Value>& values) const {
    for (const Value& value : values) (*this)(letter, value);
  }
};

// Stores one entry in the field that has the entry's letter. All other fields stay unchanged.
struct EntryReader {
  char letter;
  std::string_view value;
  bool& good;

  void operator()(char which, std::string& field) const {
    if (which == letter) field = value;
  }
  template <class Number>
  requires std::is_integral_v<Number>
  void operator()(char which, Number& field) const {
    if (which != letter) return;
    std::conditional_t<std::is_same_v<Number, bool>, std::uint8_t, Number> number{};
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    good = good && error == std::errc{} && end == value.data() + value.size();
    field = static_cast<Number>(number);
    good = good && static_cast<decltype(number)>(field) == number;
  }
  void operator()(char which, std::chrono::milliseconds& field) const {
    std::chrono::milliseconds::rep count = field.count();
    (*this)(which, count);
    field = std::chrono::milliseconds{count};
  }
  template <class Value>
  void operator()(char which, std::vector<Value>& fields) const {
    if (which == letter) (*this)(which, fields.emplace_back());
  }
};

// Calls `take` with a reader for each entry. Returns false if the text is cut or a number is
// malformed.
[[nodiscard]] bool read_entries(std::string_view text, const auto& take) {
  bool good = true;
  while (good && !text.empty()) {
    const char letter = text.front();
    text.remove_prefix(1);
    const auto value = take_text(text);
    if (!value) return false;
    take(EntryReader{letter, *value, good});
  }
  return good;
}

}  // namespace fixkeep::worker::keeper
