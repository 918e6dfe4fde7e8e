// Reads a record by its description (record.hpp).
//
// Thread rule: a value, one owner. Bounds: those of the description; a list stops growing at its
// bound. Errors: good() returns false.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/record/cursor.hpp"
#include "common/record/members.hpp"

namespace fixkeep::record {

// Reads the fields of a record one by one. For each field, runs the whole description. Only the
// line with this field's number takes the field.
class Reader : public Cursor {
 public:
  static constexpr bool reads = true;

  using Cursor::Cursor;

  template <class Record>
  [[nodiscard]] bool read(Record& out) {
    clears_ = true;
    describe(*this, out);
    clears_ = false;
    while (next()) describe(*this, out);
    if constexpr (requires { mend(out); }) mend(out);
    return good_ && missing_ == 0;
  }

  template <class Member>
  void number(std::uint32_t field, Member& member, std::uint64_t most = no_bound) {
    if (clears_) member = Member{};
    if (is(field, Form::number)) good_ &= from_number(value(), member) && value() <= most;
  }
  template <class Member>
  void number(std::uint32_t field, std::optional<Member>& member, std::uint64_t most = no_bound) {
    if (is(field, Form::number)) number(field, member.emplace(), most);
  }
  void positive(std::uint32_t field, auto& member, std::uint64_t most = no_bound) {
    number(field, member, most);
  }
  template <class Member>
  void fixed(std::uint32_t field, Member& member) {
    if (clears_) member = Member{};
    if (is(field, Form::eight_bytes)) good_ &= from_number(value(), member);
  }
  template <class Member>
  void fixed(std::uint32_t field, std::optional<Member>& member) {
    if (is(field, Form::eight_bytes)) fixed(field, member.emplace());
  }
  template <class Choice>
  void choice(std::uint32_t field, Choice& member, Choice last) {
    if (clears_) member = Choice{};
    if (!is(field, Form::number)) return;
    good_ &= value() <= to_number(last);
    if (good_) member = static_cast<Choice>(value());
  }
  template <class Text>
  void id(std::uint32_t field, Text& member, std::size_t) {
    if (is(field, Form::length)) member = Text{std::string{payload()}};
  }
  template <class Text>
  void text(std::uint32_t field, Text& member, std::size_t) {
    if (is(field, Form::length)) member = Text{std::string{payload()}};
  }
  template <std::size_t size>
  void bytes(std::uint32_t field, std::array<unsigned char, size>& member) {
    if (clears_) ++missing_;
    if (!is(field, Form::length)) return;
    missing_ = 0;
    good_ &= payload().size() == size;
    if (good_) std::copy(payload().begin(), payload().end(), member.begin());
  }
  template <class Text>
  void ids(std::uint32_t field, std::vector<Text>& list, std::size_t most, std::size_t) {
    if (is(field, Form::length) && has_room(list, most)) list.emplace_back(std::string{payload()});
  }
  void texts(std::uint32_t field, std::vector<std::string>& list, std::size_t most, std::size_t) {
    ids(field, list, most, 0);
  }
  // A list of numbers is packed into one field. Numbers in fields of their own are accepted too.
  template <class Number>
  void numbers(std::uint32_t field, std::vector<Number>& list, std::size_t most) {
    if (is(field, Form::number)) add(value(), list, most);
    if (!is(field, Form::length)) return;
    for (Cursor packed{payload()}; !packed.at_end() && good_; good_ &= packed.good()) {
      add(packed.varint(), list, most);
    }
  }
  void nested(std::uint32_t field, auto& member) {
    if (is(field, Form::length)) good_ &= Reader{payload()}.read(member);
  }
  template <class Record>
  void nested(std::uint32_t field, std::optional<Record>& member) {
    if (!is(field, Form::length)) return;
    if (!member) member.emplace();
    nested(field, *member);
  }
  void moment(std::uint32_t field, std::optional<std::chrono::milliseconds>& member) {
    if (!is(field, Form::length)) return;
    Moment moment;
    nested(field, moment);
    member = moment.in;
  }
  template <class Record>
  void list(std::uint32_t field, std::vector<Record>& records, std::size_t most) {
    if (is(field, Form::length) && has_room(records, most)) nested(field, records.emplace_back());
  }
  // Reads a column: one member of all rows. The first column that arrives makes the rows.
  template <class Record, class Member>
  void column(std::uint32_t field, std::vector<Record>& rows, Member Record::*member,
              std::size_t most) {
    if (!is(field, Form::length)) return;
    Cursor packed{payload()};
    for (std::size_t row = 0; !packed.at_end() && good_; ++row) {
      if (row == rows.size() && has_room(rows, most)) rows.emplace_back();
      if (good_) good_ = from_number(packed.varint(), rows[row].*member) && packed.good();
    }
  }
  // A map has no bound of its own: use it only for bytes whose length is bounded.
  template <class Value>
  void map(std::uint32_t field, std::map<std::string, Value>& entries) {
    if (!is(field, Form::length)) return;
    MapEntry<Value> entry;
    nested(field, entry);
    entries.insert_or_assign(std::move(entry.key), std::move(entry.value));
  }

 private:
  template <class Member>
  [[nodiscard]] bool has_room(const std::vector<Member>& list, std::size_t most) {
    good_ &= list.size() < most;
    return good_;
  }
  template <class Number>
  void add(std::uint64_t value, std::vector<Number>& list, std::size_t most) {
    if (has_room(list, most)) good_ &= from_number(value, list.emplace_back());
  }

  int missing_ = 0;      // fields of fixed size not read yet; at most one a record
  bool clears_ = false;  // sets each scalar to zero: the value of an absent field
};

}  // namespace fixkeep::record
