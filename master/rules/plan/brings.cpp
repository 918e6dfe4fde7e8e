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

bool take(std::string_view& text, char wanted) {
  if (text.empty() || text.front() != wanted) return false;
  text.remove_prefix(1);
  return true;
}

bool take_latencies(std::string_view& text, std::size_t regions, Latencies& out) {
  out.fill(unmeasured);
  for (std::size_t r = 0; r < regions; ++r) {
    if (!take(text, ' ')) return false;
    if (!take(text, '-') && !take_number(text, out.at(r))) return false;
  }
  return true;
}

}  // namespace

std::string to_text(const Brings& brings, const Rules& rules) {
  std::string text = std::to_string(brings.team);
  for (std::size_t i = 0; i < rules.numbers.size(); ++i) {
    text += ' ';
    text += std::to_string(brings.numbers.at(i));
  }
  if (!brings.latency_ms || !rules.latency) return text;
  for (std::size_t r = 0; r < rules.latency->regions.size(); ++r) {
    const std::uint16_t measured = brings.latency_ms->at(r);
    text += ' ';
    text += measured == unmeasured ? "-" : std::to_string(measured);
  }
  return text;
}

std::optional<Brings> parse_brings(std::string_view text, const Rules& rules) {
  Brings brings;
  if (!take_number(text, brings.team) || brings.team >= rules.team_count()) return std::nullopt;
  for (std::size_t i = 0; i < rules.numbers.size(); ++i) {
    if (!take(text, ' ')) return std::nullopt;
    std::int64_t& number = brings.numbers.at(i);
    if (!take_number(text, number)) return std::nullopt;
    if (number > number_most || number < -number_most) return std::nullopt;
  }
  if (!text.empty() && rules.latency) {
    const std::size_t regions = rules.latency->regions.size();
    if (!take_latencies(text, regions, brings.latency_ms.emplace())) return std::nullopt;
  }
  if (!text.empty()) return std::nullopt;
  return brings;
}

}  // namespace fixkeep::master::plan
