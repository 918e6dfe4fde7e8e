// Writes a record by its description (record.hpp).
//
// Thread rule: a value, one owner. Bounds: those of the record. Errors: none.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/record/members.hpp"

namespace fixkeep::record {

// Appends the fields of a record to a text.
class Writer {
 public:
  static constexpr bool reads = false;

  explicit Writer(std::string& out) : out_(out) {}

  template <class Member>
  void number(std::uint32_t field, const Member& member, std::uint64_t = no_bound) {
    if (to_number(member) != 0) number(field, std::optional{member});
  }
  template <class Member>
  void number(std::uint32_t field, const std::optional<Member>& member, std::uint64_t = no_bound) {
    if (!member) return;
    tag(field, Form::number);
    varint(to_number(*member));
  }
  void positive(std::uint32_t field, const auto& member, std::uint64_t = no_bound) {
    number(field, member);
  }
  void fixed(std::uint32_t field, const auto& member) {
    if (to_number(member) != 0) fixed(field, std::optional{member});
  }
  template <class Member>
  void fixed(std::uint32_t field, const std::optional<Member>& member) {
    if (!member) return;
    tag(field, Form::eight_bytes);
    for (unsigned shift = 0; shift < 64; shift += 8) {
      out_.push_back(static_cast<char>(to_number(*member) >> shift & 0xFFU));
    }
  }
  template <class Choice>
  void choice(std::uint32_t field, Choice member, Choice) {
    number(field, member);
  }
  void id(std::uint32_t field, const auto& member, std::size_t) {
    if (!text_of(member).empty()) put(field, text_of(member));
  }
  void text(std::uint32_t field, const auto& member, std::size_t) {
    if (!text_of(member).empty()) put(field, text_of(member));
  }
  template <std::size_t size>
  void bytes(std::uint32_t field, const std::array<unsigned char, size>& member) {
    put(field, {reinterpret_cast<const char*>(member.data()), size});
  }
  template <class Text>
  void ids(std::uint32_t field, const std::vector<Text>& list, std::size_t, std::size_t) {
    for (const Text& member : list) put(field, text_of(member));
  }
  void texts(std::uint32_t field, const std::vector<std::string>& list, std::size_t, std::size_t) {
    for (const std::string& member : list) put(field, member);
  }
  template <class Number>
  void numbers(std::uint32_t field, const std::vector<Number>& list, std::size_t) {
    if (list.empty()) return;
    framed(field, [&] {
      for (const Number each : list) varint(to_number(each));
    });
  }
  void nested(std::uint32_t field, const auto& member) {
    framed(field, [&] { describe(*this, member); });
  }
  template <class Record>
  void nested(std::uint32_t field, const std::optional<Record>& member) {
    if (member) nested(field, *member);
  }
  void moment(std::uint32_t field, const std::optional<std::chrono::milliseconds>& member) {
    if (member) nested(field, Moment{*member});
  }
  template <class Record>
  void list(std::uint32_t field, const std::vector<Record>& records, std::size_t) {
    for (const Record& each : records) nested(field, each);
  }
  template <class Record, class Member>
  void column(std::uint32_t field, const std::vector<Record>& rows, Member Record::*member,
              std::size_t) {
    if (rows.empty()) return;
    framed(field, [&] {
      for (const Record& each : rows) varint(to_number(each.*member));
    });
  }
  template <class Value>
  void map(std::uint32_t field, const std::map<std::string, Value>& entries) {
    for (const auto& [key, value] : entries) nested(field, MapEntry<Value>{key, value});
  }
  void put(std::uint32_t field, std::string_view text) {
    tag(field, Form::length);
    varint(text.size());
    out_.append(text);
  }

 private:
  static constexpr std::uint64_t last_byte = 0x7F;  // a varint has seven bits in a byte

  void varint(std::uint64_t value) {
    for (; value > last_byte; value >>= 7U) out_.push_back(static_cast<char>(value | 0x80U));
    out_.push_back(static_cast<char>(value));
  }
  void tag(std::uint32_t field, Form form) {
    varint(std::uint64_t{field} << 3U | static_cast<std::uint64_t>(form));
  }
  // Leaves one byte for the length, because most bodies are short. If the length needs more bytes,
  // moves the body.
  void framed(std::uint32_t field, auto body) {
    tag(field, Form::length);
    const std::size_t at = out_.size();
    out_.push_back(0);
    body();
    std::uint64_t length = out_.size() - at - 1;
    std::array<char, 10> bytes{};
    std::size_t count = 0;
    for (; length > last_byte; length >>= 7U) {
      bytes.at(count++) = static_cast<char>(length | 0x80U);
    }
    out_[at] = count == 0 ? static_cast<char>(length) : bytes[0];
    if (count == 0) return;
    bytes.at(count) = static_cast<char>(length);
    out_.insert(at + 1, bytes.data() + 1, count);
  }

  std::string& out_;
};

}  // namespace fixkeep::record
