// Bounds the words of a player that may reach a game: the attributes of {group:ATTRIBUTE} in its
// description.
//
// Arguments, files and paths have characters with a meaning of their own. A player sends anything.
// A description therefore bounds each attribute by a list of values or a pattern for the whole
// value. The rules of its place are the same for all games: no value begins an option, ends the
// quotes around it, is more than a word of a script or leads out of a folder. The alternative is to
// escape values. It would need the format of each file and the habits of each program.
//
// Patterns are those of RE2 in UTF-8: every pattern takes time linear in the value. Thread rule:
// values and free functions; copies share a compiled pattern, which never changes. Bounds:
// `most_pattern_bytes`; a megabyte of memory for a pattern. Errors: in words.
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

// "{word}" in a line of a text; the word has no braces.
struct Placeholder {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string_view word;

  // Returns the attribute of {group:ATTRIBUTE}; nullopt: another placeholder.
  [[nodiscard]] std::optional<std::string_view> attribute() const;
};
// The first one at `from` or later.
[[nodiscard]] std::optional<Placeholder> next_placeholder(std::string_view text, std::size_t from);

// The place of a text with placeholders.
enum class TextPlace : std::uint8_t {
  program,   // the first of a command
  argument,  // another word of a command
  script,    // the argument of "-c" or "-e", as of a shell
  variable,  // an environment variable
  line,      // a line of a file
  folder,
};

// The place of a word in a command.
[[nodiscard]] TextPlace place_in(const std::vector<std::string>& command, std::size_t index);

class AttributeRule {
 public:
  static constexpr std::size_t most_pattern_bytes = 512;

  struct Parsed;

  [[nodiscard]] static AttributeRule listing(std::vector<std::string> values);
  [[nodiscard]] static Parsed matching(const std::string& pattern);

  // Why the attribute must not have this value; empty: it may. The text does not quote the value.
  [[nodiscard]] std::string refusal(std::string_view value) const;

  [[nodiscard]] const std::vector<std::string>& values() const { return values_; }
  // Empty: it has a list.
  [[nodiscard]] const std::string& pattern() const { return pattern_; }

 private:
  std::vector<std::string> values_;
  std::string pattern_;
  std::shared_ptr<const re2::RE2> expression_;  // null: it has a list
};

struct AttributeRule::Parsed {
  std::optional<AttributeRule> rule;
  std::string problem;  // why there is no rule
};

// Why the value must not replace the placeholder in the text; empty: it may.
[[nodiscard]] std::string misplaced(std::string_view value, std::string_view text,
                                    const Placeholder& placeholder, TextPlace place);

}  // namespace fixkeep::worker
