#include "master/rules/plan/brings.hpp"

#include <charconv>

namespace fixkeep::master::plan {
namespace {

template <class Number>
bool take_number(std::string_view& text, Number& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

}  // namespace

std::string to_text(const Brings& brings, const Rules& rules) {
  std::string text = std::to_string(brings.team);
  for (std::size_t i = 0; i < rules.numbers.size(); ++i) {
    text += ' ';
    text += std::to_string(brings.numbers.at(i));
  }
  return text;
}

std::optional<Brings> parse_brings(std::string_view text, const Rules& rules) {
  Brings brings;
  if (!take_number(text, brings.team) || brings.team >= rules.team_count()) return std::nullopt;
  for (std::size_t i = 0; i < rules.numbers.size(); ++i) {
    if (text.empty() || text.front() != ' ') return std::nullopt;
    text.remove_prefix(1);
    std::int64_t& number = brings.numbers.at(i);
    if (!take_number(text, number)) return std::nullopt;
    if (number > number_most || number < -number_most) return std::nullopt;
  }
  if (!text.empty()) return std::nullopt;
  return brings;
}

}  // namespace fixkeep::master::plan
