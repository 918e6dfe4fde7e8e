// Reads the fields of the wire format one by one (record.hpp).
//
// Thread rule: a value, one owner; the bytes have to outlive it. Bounds: the bytes. Errors: good()
// returns false.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/record/members.hpp"

namespace fixkeep::record {

class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : rest_(bytes) {}

  // Reads the next field. Returns false at the end or if the record is malformed.
  [[nodiscard]] bool next() {
    if (rest_.empty() || !good_) return false;
    const std::uint64_t tag = varint();
    field_ = tag >> 3U;
    form_ = static_cast<Form>(tag & 7U);
    if (field_ == 0 || field_ > largest_field) good_ = false;
    switch (form_) {
      case Form::number: value_ = varint(); break;
      case Form::length: payload_ = take(varint()); break;
      case Form::eight_bytes: value_ = little_endian(take(8)); break;
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
  // payload() and value() REQUIRE that next() has returned true and the field has the fitting form.
  [[nodiscard]] std::string_view payload() const { return payload_; }
  [[nodiscard]] std::uint64_t value() const { return value_; }

  // Reads a number without a tag, as packed lists contain them.
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
  [[nodiscard]] bool at_end() const { return rest_.empty(); }

 protected:
  bool good_ = true;

 private:
  static constexpr std::uint64_t largest_field = (1U << 29U) - 1;

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

  std::string_view rest_;
  std::uint64_t field_ = 0;
  Form form_ = Form::number;
  std::uint64_t value_ = 0;
  std::string_view payload_;
};

}  // namespace fixkeep::record
