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
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/record/members.hpp"

namespace fixkeep::record {

// Reads the fields of a record one by one. For each field, runs the whole description. Only the
// line with this field's number takes the field.
class Reader {
 public:
  static constexpr bool reads = true;

  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  template <class Record>
  [[nodiscard]] bool read(Record& out) {
    clears_ = true;
    describe(*this, out);
    clears_ = false;
    while (next()) describe(*this, out);
    if constexpr (requires { mend(out); }) mend(out);
    return good_ && missing_ == 0;
  }
  // Reads the next field. Returns false at the end or if the record is malformed.
  [[nodiscard]] bool next() {
    if (rest_.empty() || !good_) return false;
    const std::uint64_t tag = varint();
    field_ = tag >> 3U;
    form_ = static_cast<Form>(tag & 7U);
    if (field_ == 0 || field_ > largest_field) good_ = false;
    switch (form_) {
      case Form::number: number_ = varint(); break;
      case Form::length: text_ = take(varint()); break;
      case Form::eight_bytes: number_ = little_endian(take(8)); break;
      case Form::four_bytes: (void)take(4); break;
      default: good_ = false;  // groups, which no node writes
    }
    return good_;
  }
  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] std::uint64_t field() const { return field_; }
  [[nodiscard]] bool has(Form form) const { return form_ == form; }
  [[nodiscard]] bool is(std::uint32_t field, Form form) const {
    return field_ == field && form_ == form;
  }
  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] std::uint64_t number() const { return number_; }

  template <class Member>
  void number(std::uint32_t field, Member& member, std::uint64_t most = no_bound) {
    if (clears_) member = Member{};
    if (is(field, Form::number)) good_ &= from_number(number_, member) && number_ <= most;
  }
  template <class Member>
  void positive(std::uint32_t field, Member& member, std::uint64_t most = no_bound) {
    number(field, member, most);
  }
  template <class Member>
  void fixed(std::uint32_t field, Member& member) {
    if (clears_) member = Member{};
    if (is(field, Form::eight_bytes)) good_ &= from_number(number_, member);
  }
  template <class Choice>
  void choice(std::uint32_t field, Choice& member, Choice last) {
    if (clears_) member = Choice{};
    if (!is(field, Form::number)) return;
    good_ &= number_ <= to_number(last);
    if (good_) member = static_cast<Choice>(number_);
  }
  template <class Text>
  void id(std::uint32_t field, Text& member, std::size_t) {
    if (is(field, Form::length)) member = Text{std::string{text_}};
  }
  template <class Text>
  void text(std::uint32_t field, Text& member, std::size_t) {
    if (is(field, Form::length)) member = Text{std::string{text_}};
  }
  template <std::size_t size>
  void bytes(std::uint32_t field, std::array<unsigned char, size>& member) {
    if (clears_) ++missing_;
    if (!is(field, Form::length)) return;
    missing_ = 0;
    good_ &= text_.size() == size;
    if (good_) std::copy(text_.begin(), text_.end(), member.begin());
  }
  template <class Text>
  void ids(std::uint32_t field, std::vector<Text>& list, std::size_t most, std::size_t) {
    if (is(field, Form::length) && has_room(list, most)) list.emplace_back(std::string{text_});
  }
  void texts(std::uint32_t field, std::vector<std::string>& list, std::size_t most, std::size_t) {
    ids(field, list, most, 0);
  }
  // A list of numbers is packed into one field. Numbers in fields of their own are accepted too.
  template <class Number>
  void numbers(std::uint32_t field, std::vector<Number>& list, std::size_t most) {
    if (is(field, Form::number)) add(number_, list, most);
    if (!is(field, Form::length)) return;
    for (Reader packed{text_}; !packed.rest_.empty() && good_; good_ &= packed.good_) {
      add(packed.varint(), list, most);
    }
  }
  template <class Record>
  void nested(std::uint32_t field, Record& member) {
    if (is(field, Form::length)) good_ &= Reader{text_}.read(member);
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

 private:
  static constexpr std::uint64_t largest_field = (1U << 29U) - 1;

  [[nodiscard]] std::uint64_t varint() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<std::uint8_t>(rest_.front());
      rest_.remove_prefix(1);
      number |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte <= 0x7FU) return number;
    }
    good_ = false;
    return 0;
  }
  [[nodiscard]] std::string_view take(std::uint64_t length) {
    if (length > rest_.size()) good_ = false;
    if (!good_) return {};
    const auto taken = rest_.substr(0, static_cast<std::size_t>(length));
    rest_.remove_prefix(taken.size());
    return taken;
  }
  [[nodiscard]] static std::uint64_t little_endian(std::string_view bytes) {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      number |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    }
    return number;
  }
  template <class Member>
  [[nodiscard]] bool has_room(const std::vector<Member>& list, std::size_t most) {
    good_ &= list.size() < most;
    return good_;
  }
  template <class Number>
  void add(std::uint64_t value, std::vector<Number>& list, std::size_t most) {
    if (has_room(list, most)) good_ &= from_number(value, list.emplace_back());
  }

  std::string_view rest_;
  std::uint64_t field_ = 0;
  Form form_ = Form::number;
  std::uint64_t number_ = 0;
  std::string_view text_;
  int missing_ = 0;      // fields of fixed size not read yet; at most one a record
  bool clears_ = false;  // sets each scalar to zero: the value of an absent field
  bool good_ = true;
};

}  // namespace fixkeep::record
