#include "worker/shell/player_text.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "common/base/printable.hpp"

namespace fixkeep::worker {
namespace {

constexpr std::int64_t pattern_memory = std::int64_t{1} << 20U;  // bytes
constexpr std::string_view attribute_prefix = "group:";
// Characters that begin options, console commands, and files of further arguments.
constexpr std::string_view option_signs = "-+@";
constexpr std::string_view separators = "/\\";

// Returns whether the value begins with a separator, or has a part that consists only of dots. One
// dot is enough, because a dot next to the value in the text would make "..".
bool leads_out_of_a_folder(std::string_view value) {
  if (value.empty()) return false;
  if (separators.find(value.front()) != std::string_view::npos) return true;
  for (;;) {
    const auto part = value.substr(0, value.find_first_of(separators));
    if (!part.empty() && part.find_first_not_of('.') == std::string_view::npos) return true;
    if (part.size() == value.size()) return false;
    value.remove_prefix(part.size() + 1);
  }
}

bool is_path(std::string_view text, TextPlace place) {
  return place == TextPlace::program || place == TextPlace::folder ||
         text.find_first_of(separators) != std::string_view::npos ||
         text.find("{folder}") != std::string_view::npos;
}

bool ends_its_quotes(std::string_view value, std::string_view text,
                     const Placeholder& placeholder) {
  for (const std::string_view ends : {"\"\\", "'\\", "`\\"}) {
    const char quote = ends.front();
    const bool quoted = text.substr(0, placeholder.begin).find(quote) != std::string_view::npos &&
                        text.substr(placeholder.end).find(quote) != std::string_view::npos;
    if (quoted && value.find_first_of(ends) != std::string_view::npos) return true;
  }
  return false;
}

bool is_word_of_a_script(std::string_view value) {
  return std::all_of(value.begin(), value.end(), [](unsigned char c) {
    return c >= 0x80 || std::isalnum(c) != 0 || c == '_' || c == '.' || c == '-';
  });
}

// Returns true for "-c", "-lc", "-e".
bool is_followed_by_a_script(std::string_view word) {
  if (word.size() < 2 || word.front() != '-') return false;
  if (word.back() != 'c' && word.back() != 'e') return false;
  return std::all_of(word.begin() + 1, word.end(),
                     [](unsigned char c) { return std::isalpha(c) != 0; });
}

// Returns the text before the placeholder as it is if all attributes in it are empty.
std::string least_before(std::string_view text, const Placeholder& placeholder) {
  std::string before;
  std::size_t from = 0;
  for (auto other = next_placeholder(text, 0); other && other->begin < placeholder.begin;
       other = next_placeholder(text, other->end)) {
    if (!other->attribute()) continue;
    before += text.substr(from, other->begin - from);
    from = other->end;
  }
  return before.append(text.substr(from, placeholder.begin - from));
}

bool begins_a_word(std::string_view before) {
  const auto last_space = before.find_last_of(" \t");
  const auto word = before.substr(last_space == std::string_view::npos ? 0 : last_space + 1);
  return word.find_first_not_of(option_signs) == std::string_view::npos;
}

}  // namespace

std::optional<std::string_view> Placeholder::attribute() const {
  if (!word.starts_with(attribute_prefix)) return std::nullopt;
  return word.substr(attribute_prefix.size());
}

std::optional<Placeholder> next_placeholder(std::string_view text, std::size_t from) {
  for (auto open = text.find('{', from); open != std::string_view::npos;) {
    const auto next = text.find_first_of("{}\n", open + 1);
    if (next == std::string_view::npos) return std::nullopt;
    if (text[next] == '}')
      return Placeholder{open, next + 1, text.substr(open + 1, next - open - 1)};
    open = text.find('{', next);
  }
  return std::nullopt;
}

TextPlace place_in(const std::vector<std::string>& command, std::size_t index) {
  if (index == 0) return TextPlace::program;
  const bool script = index > 1 && is_followed_by_a_script(command[index - 1]);
  return script ? TextPlace::script : TextPlace::argument;
}

AttributeRule AttributeRule::listing(std::vector<std::string> values) {
  AttributeRule rule;
  rule.values_ = std::move(values);
  return rule;
}

AttributeRule::Parsed AttributeRule::matching(const std::string& pattern) {
  if (pattern.size() > most_pattern_bytes) {
    return {std::nullopt, "is longer than " + std::to_string(most_pattern_bytes) + " bytes"};
  }
  re2::RE2::Options options{re2::RE2::DefaultOptions};
  options.set_log_errors(false);
  options.set_max_mem(pattern_memory);
  AttributeRule rule;
  rule.pattern_ = pattern;
  auto expression = std::make_shared<const re2::RE2>(pattern, options);
  if (!expression->ok()) return {std::nullopt, expression->error()};
  rule.expression_ = std::move(expression);
  return {std::move(rule), {}};
}

std::string AttributeRule::refusal(std::string_view value) const {
  if (!is_printable(value)) return "is not UTF-8 without control characters";
  if (expression_ != nullptr) {
    const re2::StringPiece whole{value.data(), value.size()};
    return re2::RE2::FullMatch(whole, *expression_) ? "" : "does not match its pattern";
  }
  const bool listed = std::find(values_.begin(), values_.end(), value) != values_.end();
  return listed ? "" : "is not one of its values";
}

std::string misplaced(std::string_view value, std::string_view text, const Placeholder& placeholder,
                      TextPlace place) {
  if (leads_out_of_a_folder(value)) return "leads out of a folder";
  if (is_path(text, place) && value.find_first_of(separators) != std::string_view::npos) {
    return "has more than one part of a path";
  }
  if (place == TextPlace::script && !is_word_of_a_script(value)) {
    return "is more than a word of a script";
  }
  if (ends_its_quotes(value, text, placeholder)) return "ends the quotes around it";
  const bool is_argument = place == TextPlace::argument || place == TextPlace::script;
  if (!is_argument || value.empty() || option_signs.find(value.front()) == std::string_view::npos) {
    return {};
  }
  return begins_a_word(least_before(text, placeholder)) ? "begins an option" : "";
}

}  // namespace fixkeep::worker
