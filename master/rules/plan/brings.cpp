#include "master/rules/plan/brings.hpp"

#include <charconv>

#include "common/base/sip_hash.hpp"

namespace fixkeep::master::plan {
namespace {

bool take_number(std::string_view& text, auto& out) {
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

bool take_roles(std::string_view& text, std::size_t roles, std::uint8_t& out) {
  return take(text, ' ') && take_number(text, out) && out > 0 && out >> roles == 0;
}

constexpr int hash_base = 36;

bool take_avoided(std::string_view& text, std::vector<PlayerHash>& out) {
  while (text.starts_with(" !")) {
    text.remove_prefix(2);
    std::uint64_t hash = 0;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), hash, hash_base);
    if (error != std::errc{} || out.size() == avoided_most) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    out.push_back(PlayerHash{hash});
  }
  return true;
}

void add_avoided(const std::vector<PlayerHash>& avoids, std::string& text) {
  for (const PlayerHash player : avoids) {
    std::array<char, 16> digits{};
    const auto end =
        std::to_chars(digits.data(), digits.data() + digits.size(), player.number(), hash_base).ptr;
    text.append(" !").append(digits.data(), end);
  }
}

void add_latencies(const Latencies& measured, std::size_t regions, std::string& text) {
  for (std::size_t r = 0; r < regions; ++r) {
    text += ' ';
    text += measured.at(r) == unmeasured ? "-" : std::to_string(measured.at(r));
  }
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

PlayerHash avoidable(const PlayerId& player) {
  return PlayerHash{sip_hash(SipKey{}, player.text())};
}

std::string to_text(const Brings& brings, const Rules& rules) {
  std::string text = std::to_string(brings.team);
  for (std::size_t i = 0; i < rules.numbers.size(); ++i) {
    text += ' ';
    text += std::to_string(brings.numbers.at(i));
  }
  if (!rules.roles.empty()) text.append(" ").append(std::to_string(brings.roles));
  if (brings.latency_ms && rules.latency) {
    add_latencies(*brings.latency_ms, rules.latency->regions.size(), text);
  }
  if (rules.avoid) add_avoided(brings.avoids, text);
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
  if (!rules.roles.empty() && !take_roles(text, rules.roles.size(), brings.roles)) {
    return std::nullopt;
  }
  if (!text.empty() && !text.starts_with(" !") && rules.latency) {
    const std::size_t regions = rules.latency->regions.size();
    if (!take_latencies(text, regions, brings.latency_ms.emplace())) return std::nullopt;
  }
  if (rules.avoid && !take_avoided(text, brings.avoids)) return std::nullopt;
  if (!text.empty()) return std::nullopt;
  return brings;
}

std::optional<std::uint32_t> parse_team(std::string_view text) {
  std::uint32_t team = 0;
  const bool named = take_number(text, team) && (text.empty() || text.front() == ' ');
  return named ? std::optional{team} : std::nullopt;
}

}  // namespace fixkeep::master::plan
