// A pattern is looked for in a line, in the output of a command or in an answer: it is a text or a
// regular expression, and the number of players may be read with one.
//
// The expressions are those of RE2, which takes time in proportion to the text whatever the
// expression: std::regex and POSIX can take for ever on a line that a player has made up. A text is
// bytes to it, not UTF-8: names of players hold anything, and answers of games are binary.
// Thread rule: values; a copy shares its compiled expression, which never changes.
// Bounds: below; what is beyond them in a text is not looked at. Errors: in words.
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
inline constexpr std::uint32_t most_players = 1'000'000;  // a larger number is none of players

class TextPattern {
 public:
  struct Parsed;

  // The text itself, wherever it stands.
  [[nodiscard]] static TextPattern containing(std::string text);
  [[nodiscard]] static Parsed matching(const std::string& expression);

  [[nodiscard]] bool found_in(std::string_view text) const;
  // Capture groups; a plain text has none.
  [[nodiscard]] int groups() const;
  // `with "Server started"`, `that matches "^ready$"`: to stand behind "no line".
  [[nodiscard]] std::string in_words() const;

  struct Match {
    std::string_view group;  // the first one; the whole match if there are no groups
    std::size_t end = 0;     // where the match ends in the text
  };
  // The first match that begins at `from` or later. What `^` fits is decided by the whole text.
  [[nodiscard]] std::optional<Match> find(std::string_view text, std::size_t from) const;

  friend bool operator==(const TextPattern& a, const TextPattern& b) {
    return a.text_ == b.text_ && (a.expression_ == nullptr) == (b.expression_ == nullptr);
  }

 private:
  TextPattern(std::string text, std::shared_ptr<const re2::RE2> expression)
      : text_(std::move(text)), expression_(std::move(expression)) {}

  std::string text_;
  std::shared_ptr<const re2::RE2> expression_;  // null: the text itself
};

struct TextPattern::Parsed {
  std::optional<TextPattern> pattern;
  std::string problem;  // without a pattern: why
};

// This says how a number of players is read from a text.
struct PlayerPattern {
  enum class Rule : std::uint8_t {
    first,  // the number in the first match
    sum,    // of the numbers in all matches; 0 if nothing matches
    count,  // of the matches: a line a player, for example
  };
  enum class Number : std::uint8_t {
    decimal,  // digits
    byte,     // the first byte of the group itself, as binary answers have it
  };
  TextPattern pattern;
  Rule rule = Rule::first;
  Number number = Number::decimal;

  friend bool operator==(const PlayerPattern&, const PlayerPattern&) = default;
};

// None: the text has no such number, or one beyond most_players.
[[nodiscard]] std::optional<std::uint32_t> players_in(std::string_view text,
                                                      const PlayerPattern& how);

}  // namespace fixkeep::probe
