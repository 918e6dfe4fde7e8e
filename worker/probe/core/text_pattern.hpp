// A TextPattern is a text or a regular expression. A probe searches for it in a line, in the output
// of a command or in an answer. With a pattern, a probe may also read the number of players from
// the text.
//
// RE2 matches the expressions: its time is linear in the text for every expression. With std::regex
// or POSIX, a player could construct a line that takes almost endless time. Here RE2 matches bytes,
// not UTF-8 characters: names of players can contain any bytes, and answers from games are binary.
// Thread rule: values; copies share a compiled expression, which never changes. Bounds: see the
// constants below; the rest of a longer text is ignored. Errors: as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace fixkeep::probe {

inline constexpr std::size_t most_expression_bytes = 512;
inline constexpr std::size_t most_text_bytes = 65536;
inline constexpr std::uint32_t most_players = 1'000'000;  // a larger number is refused

class TextPattern {
 public:
  struct Parsed;

  // Returns a pattern that finds this text at any place.
  [[nodiscard]] static TextPattern containing(std::string text);
  [[nodiscard]] static Parsed matching(const std::string& expression);

  [[nodiscard]] bool found_in(std::string_view text) const;
  // Number of capture groups; 0 for a plain text.
  [[nodiscard]] int groups() const;
  // Describes the pattern, to follow "no line": `with "Server started"`, `that matches "^ready$"`.
  [[nodiscard]] std::string in_words() const;

  struct Match {
    std::string_view group;  // the first group; without groups, the whole match
    std::size_t end = 0;     // end of the match in the text
  };
  // Returns the first match that begins at `from` or later. `^` depends on the whole text, not on
  // `from`.
  [[nodiscard]] std::optional<Match> find(std::string_view text, std::size_t from) const;

  friend bool operator==(const TextPattern& a, const TextPattern& b) {
    return a.text_ == b.text_ && (a.expression_ == nullptr) == (b.expression_ == nullptr);
  }

 private:
  TextPattern(std::string text, std::shared_ptr<const re2::RE2> expression)
      : text_(std::move(text)), expression_(std::move(expression)) {}

  std::string text_;
  std::shared_ptr<const re2::RE2> expression_;  // null for a plain text
};

struct TextPattern::Parsed {
  std::optional<TextPattern> pattern;
  std::string problem;  // why there is no pattern
};

// The rule by which the number of players is read from a text.
struct PlayerPattern {
  enum class Rule : std::uint8_t {
    first,  // the number in the first match
    sum,    // the sum of all matches; 0 if nothing matches
    count,  // the number of matches, for example one line for each player
  };
  enum class Number : std::uint8_t {
    decimal,  // digits
    byte,     // the first byte of the group, for binary answers
  };
  TextPattern pattern;
  Rule rule = Rule::first;
  Number number = Number::decimal;

  friend bool operator==(const PlayerPattern&, const PlayerPattern&) = default;
};

// Nullopt: a match has no number, a number is above most_players, or Rule::first finds no match.
[[nodiscard]] std::optional<std::uint32_t> players_in(std::string_view text,
                                                      const PlayerPattern& how);

}  // namespace fixkeep::probe
