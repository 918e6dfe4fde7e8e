#include "worker/probe/core/text_pattern.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace fixkeep::probe {
namespace {

constexpr std::int64_t expression_memory = std::int64_t{1} << 20U;  // bytes

std::optional<std::uint32_t> number_in(std::string_view group, PlayerPattern::Number how) {
  if (group.empty()) return std::nullopt;
  if (how == PlayerPattern::Number::byte) return static_cast<std::uint8_t>(group.front());
  std::uint32_t value = 0;
  const char* const end = group.data() + group.size();
  const auto [stop, error] = std::from_chars(group.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

}  // namespace

TextPattern TextPattern::containing(std::string text) {
  return {std::move(text), nullptr};
}

TextPattern::Parsed TextPattern::matching(const std::string& expression) {
  if (expression.size() > most_expression_bytes) {
    return {std::nullopt, "is longer than " + std::to_string(most_expression_bytes) + " bytes"};
  }
  re2::RE2::Options options{re2::RE2::Latin1};
  options.set_log_errors(false);
  options.set_max_mem(expression_memory);
  auto compiled = std::make_shared<const re2::RE2>(expression, options);
  if (!compiled->ok()) return {std::nullopt, compiled->error()};
  return {TextPattern{expression, std::move(compiled)}, {}};
}

bool TextPattern::found_in(std::string_view text) const {
  return find(text, 0).has_value();
}

int TextPattern::groups() const {
  return expression_ == nullptr ? 0 : expression_->NumberOfCapturingGroups();
}

std::string TextPattern::in_words() const {
  return (expression_ == nullptr ? "with \"" : "that matches \"") + text_ + "\"";
}

std::optional<TextPattern::Match> TextPattern::find(std::string_view text, std::size_t from) const {
  text = text.substr(0, most_text_bytes);
  if (from > text.size()) return std::nullopt;
  if (expression_ == nullptr) {
    const auto at = text.find(text_, from);
    if (at == std::string_view::npos) return std::nullopt;
    return Match{text.substr(at, text_.size()), at + text_.size()};
  }
  std::array<re2::StringPiece, 2> found;
  const int wanted = groups() > 0 ? 2 : 1;
  const re2::StringPiece whole{text.data(), text.size()};
  if (!expression_->Match(whole, from, text.size(), re2::RE2::UNANCHORED, found.data(), wanted)) {
    return std::nullopt;
  }
  const auto begin = static_cast<std::size_t>(found[0].data() - text.data());
  const auto& group = found.at(static_cast<std::size_t>(wanted) - 1);
  return Match{{group.data(), group.size()}, begin + found[0].size()};
}

std::optional<std::uint32_t> players_in(std::string_view text, const PlayerPattern& how) {
  std::uint64_t total = 0;
  std::size_t from = 0;
  while (const auto match = how.pattern.find(text, from)) {
    if (how.rule == PlayerPattern::Rule::count) {
      ++total;
    } else {
      const auto number = number_in(match->group, how.number);
      if (!number || *number > most_players) return std::nullopt;
      total += *number;
      if (how.rule == PlayerPattern::Rule::first) return *number;
    }
    from = std::max(match->end, from + 1);  // without this, an empty match would repeat for ever
  }
  if (how.rule == PlayerPattern::Rule::first || total > most_players) return std::nullopt;
  return static_cast<std::uint32_t>(total);
}

}  // namespace fixkeep::probe
