// Checks a record against its description (record.hpp).
//
// Thread rule: a value, one owner. Bounds: those of the description. Errors: wrong() names the
// field.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/record/members.hpp"

namespace fixkeep::record {

[[nodiscard]] bool holds_together(const auto& record) {
  if constexpr (requires { holds(record); }) return holds(record);
  return true;
}

// Stands for a field number if several fields do not fit together.
inline constexpr std::uint32_t whole_field = 0xFFFFFFFF;

// Checks a whole record against its description.
class Checker {
 public:
  static constexpr bool reads = false;

  // Returns the number of the first field that breaks the description. If this field is in a list
  // or a nested record, returns the field of the outermost record. 0: none.
  [[nodiscard]] std::uint32_t wrong() const { return wrong_; }

  template <class Record>
  void whole(const Record& record) {
    describe(*this, record);
    check(whole_field, holds_together(record));
  }

  template <class Member>
  void number(std::uint32_t field, const Member& member, std::uint64_t most = no_bound) {
    check(field, to_number(member) <= most);
  }
  template <class Member>
  void number(std::uint32_t field, const std::optional<Member>& member,
              std::uint64_t most = no_bound) {
    if (member) number(field, *member, most);
  }
  void positive(std::uint32_t field, const auto& member, std::uint64_t most = no_bound) {
    check(field, to_number(member) > 0 && to_number(member) <= most);
  }
  void fixed(std::uint32_t, const auto&) {}
  template <class Choice>
  void choice(std::uint32_t field, Choice member, Choice last) {
    check(field, member <= last);
  }
  void id(std::uint32_t field, const auto& member, std::size_t most) {
    check(field, !text_of(member).empty() && text_of(member).size() <= most);
  }
  void text(std::uint32_t field, const auto& member, std::size_t most) {
    check(field, text_of(member).size() <= most);
  }
  template <std::size_t size>
  void bytes(std::uint32_t, const std::array<unsigned char, size>&) {}
  template <class Text>
  void ids(std::uint32_t field, const std::vector<Text>& list, std::size_t most, std::size_t each) {
    check(field, list.size() <= most);
    for (const Text& member : list) id(field, member, each);
  }
  void texts(std::uint32_t field, const std::vector<std::string>& list, std::size_t most,
             std::size_t each) {
    check(field, list.size() <= most);
    for (const std::string& member : list) text(field, member, each);
  }
  template <class Number>
  void numbers(std::uint32_t field, const std::vector<Number>& list, std::size_t most) {
    check(field, list.size() <= most);
  }
  void nested(std::uint32_t field, const auto& member) {
    Checker inner;
    inner.whole(member);
    check(field, inner.wrong() == 0);
  }
  template <class Record>
  void nested(std::uint32_t field, const std::optional<Record>& member) {
    if (member) nested(field, *member);
  }
  void moment(std::uint32_t, const std::optional<std::chrono::milliseconds>&) {}
  template <class Record>
  void list(std::uint32_t field, const std::vector<Record>& records, std::size_t most) {
    check(field, records.size() <= most);
    for (const Record& each : records) nested(field, each);
  }
  template <class Record, class Member>
  void column(std::uint32_t field, const std::vector<Record>& rows, Member Record::*,
              std::size_t most) {
    check(field, rows.size() <= most);
  }
  template <class Value>
  void map(std::uint32_t, const std::map<std::string, Value>&) {}

 private:
  void check(std::uint32_t field, bool good) {
    if (!good && wrong_ == 0) wrong_ = field;
  }

  std::uint32_t wrong_ = 0;
};

}  // namespace fixkeep::record
