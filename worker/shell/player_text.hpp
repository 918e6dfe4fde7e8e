// Restricts the text from players that may reach a game: the values for {group:ATTRIBUTE} in the
// game's description.
//
// Arguments, files and paths have special characters, and a player can send any text. A description
// therefore restricts each attribute by a list of values, or by a pattern for the whole value.
// More rules depend only on the placeholder's place. A value must not begin an option, end the
// quotes around the value, be more than one word of a script, or lead out of a folder. The worker
// cannot escape values instead: it would need the format of each file and the syntax of each
// program.
//
// Patterns are those of RE2 in UTF-8: each match takes time linear in the value. Thread rule:
// values and free functions; copies share a compiled pattern, which never changes. Bounds:
// `most_pattern_bytes`; a megabyte of memory for a pattern. Errors: as text.
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

// "{word}" in a line of a text. The word contains no braces.
struct Placeholder {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string_view word;

  // Returns the attribute of {group:ATTRIBUTE}; nullopt for any other placeholder.
  [[nodiscard]] std::optional<std::string_view> attribute() const;
};
// Returns the first placeholder at `from` or later.
[[nodiscard]] std::optional<Placeholder> next_placeholder(std::string_view text, std::size_t from);

// Where the text with placeholders is used.
enum class TextPlace : std::uint8_t {
  program,   // the first word of a command
  argument,  // another word of a command
  script,    // the argument after "-c" or "-e", for example of a shell
  variable,  // an environment variable
  line,      // a line of a file
  folder,
};

// Returns the place of a word in a command.
[[nodiscard]] TextPlace place_in(const std::vector<std::string>& command, std::size_t index);

class AttributeRule {
 public:
  static constexpr std::size_t most_pattern_bytes = 512;

  struct Parsed;

  [[nodiscard]] static AttributeRule listing(std::vector<std::string> values);
  [[nodiscard]] static Parsed matching(const std::string& pattern);

  // Returns why the attribute must not have this value; empty: the value is allowed. The returned
  // text does not contain the value.
  [[nodiscard]] std::string refusal(std::string_view value) const;

  [[nodiscard]] const std::vector<std::string>& values() const { return values_; }
  // Empty if the rule is a list.
  [[nodiscard]] const std::string& pattern() const { return pattern_; }

 private:
  std::vector<std::string> values_;
  std::string pattern_;
  std::shared_ptr<const re2::RE2> expression_;  // null if the rule is a list
};

struct AttributeRule::Parsed {
  std::optional<AttributeRule> rule;
  std::string problem;  // why there is no rule
};

// Returns why the value must not replace the placeholder in the text; empty: it is allowed.
[[nodiscard]] std::string misplaced(std::string_view value, std::string_view text,
                                    const Placeholder& placeholder, TextPlace place);

}  // namespace fixkeep::worker
