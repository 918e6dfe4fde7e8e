// The words of a player that may reach a game are bounded here: they are the attributes that
// {group:ATTRIBUTE} stands for in the description of a game.
//
// Arguments, files and paths have characters with a meaning of their own, and a player sends what
// it likes. So a description says what each attribute may be, by a list of values or by a pattern
// that fits the whole value. What the place adds to that is the same for all games: no value begins
// an option, ends the quotes around it, is more than a word of a script or leads out of a folder.
// To escape values, the alternative, would need to know the format of each file and the habits of
// each program.
//
// Patterns are those of RE2, in UTF-8, which takes time in proportion to the value whatever the
// pattern. Thread rule: values and free functions; a copy shares its compiled pattern, which never
// changes. Bounds: `most_pattern_bytes`, a megabyte of memory for a pattern. Errors: in words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace re2 {
class RE2;
}

namespace fixkeep::worker {

// "{word}" in a line of a text; there are no braces in the word.
struct Placeholder {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string_view word;

  // Returns the attribute of {group:ATTRIBUTE}; nothing: it is another placeholder.
  [[nodiscard]] std::optional<std::string_view> attribute() const;
};
// The first one at `from` or later.
[[nodiscard]] std::optional<Placeholder> next_placeholder(std::string_view text, std::size_t from);

// A text with placeholders is for one of these.
enum class TextPlace : std::uint8_t {
  program,   // the first of a command
  argument,  // one of the others
  script,    // one that follows "-c" or "-e", as that of a shell does
  variable,  // of the environment
  line,      // of a file
  folder,
};

// Says what a word of a command is for.
[[nodiscard]] TextPlace place_in(const std::vector<std::string>& command, std::size_t index);

class AttributeRule {
 public:
  static constexpr std::size_t most_pattern_bytes = 512;

  struct Parsed;

  [[nodiscard]] static AttributeRule listing(std::vector<std::string> values);
  [[nodiscard]] static Parsed matching(const std::string& pattern);

  // Why the attribute must not have this value; empty: it may. The words do not have the value.
  [[nodiscard]] std::string refusal(std::string_view value) const;

  [[nodiscard]] const std::vector<std::string>& values() const { return values_; }
  // Empty: there is a list.
  [[nodiscard]] const std::string& pattern() const { return pattern_; }

 private:
  std::vector<std::string> values_;
  std::string pattern_;
  std::shared_ptr<const re2::RE2> expression_;  // null: there is a list
};

struct AttributeRule::Parsed {
  std::optional<AttributeRule> rule;
  std::string problem;  // without a rule: why
};

// Why the value must not stand in the text in place of the placeholder; empty: it may.
[[nodiscard]] std::string misplaced(std::string_view value, std::string_view text,
                                    const Placeholder& placeholder, TextPlace place);

}  // namespace fixkeep::worker
