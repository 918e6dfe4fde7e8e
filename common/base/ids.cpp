#include "common/base/ids.hpp"

namespace fixkeep {
namespace {

std::string hexadecimal(std::uint64_t number) {
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16).ptr;
  std::string padded(16, '0');
  const auto length = static_cast<std::size_t>(end - digits.data());
  padded.replace(16 - length, length, digits.data(), length);
  return padded;
}

// Reads all of `text` as one number without sign, space or leading zero.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || text.front() == '0') return {};
  return number;
}

}  // namespace

std::string to_string(const RoomId& room) {
  return room.worker.text() + "-" + hexadecimal(room.incarnation.number()) + "-" +
         std::to_string(room.number.number());
}

std::optional<RoomId> parse_room_id(std::string_view text) {
  const auto last = text.rfind('-');
  if (last == std::string_view::npos || last < 18) return {};
  const auto middle = last - 17;  // a dash and sixteen digits
  if (text[middle] != '-') return {};

  const auto number = parse_number<std::uint32_t>(text.substr(last + 1));
  const auto digits = text.substr(middle + 1, 16);
  std::uint64_t incarnation = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), incarnation, 16);
  if (!number || error != std::errc{} || end != digits.data() + digits.size()) return {};

  RoomId room{WorkerId{std::string{text.substr(0, middle)}}, Incarnation{incarnation},
              RoomNumber{*number}};
  if (to_string(room) != text) return {};  // the text has upper-case digits, for example
  return room;
}

std::string to_string(const CreationId& creation) {
  return std::to_string(creation.token.counter) + "." + to_string(creation.token.master) + "." +
         std::to_string(creation.index) + "." + hexadecimal(creation.orderer.number());
}

std::optional<CreationId> parse_creation_id(std::string_view text) {
  std::array<std::string_view, 4> parts;
  const std::string_view whole = text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool last = i + 1 == parts.size();
    const auto dot = last ? text.size() : text.find('.');
    if (dot == std::string_view::npos) return {};
    parts.at(i) = text.substr(0, dot);
    text.remove_prefix(last ? dot : dot + 1);
  }
  if (!parts[1].starts_with('m')) return {};
  const auto number = [](std::string_view digits, int base, auto& value) {
    const auto* const end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, value, base);
    return error == std::errc{} && stop == end;
  };
  std::uint16_t master = 0;
  std::uint64_t orderer = 0;
  CreationId creation;
  if (!number(parts[0], 10, creation.token.counter) || !number(parts[1].substr(1), 10, master) ||
      !number(parts[2], 10, creation.index) || !number(parts[3], 16, orderer)) {
    return {};
  }
  creation.token.master = MasterId{master};
  creation.orderer = Incarnation{orderer};
  if (to_string(creation) != whole) return {};  // the text has leading zeros, for example
  return creation;
}

}  // namespace fixkeep
