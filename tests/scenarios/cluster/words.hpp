// The words of one line of a scenario, and what they mean: names, numbers, durations, tokens.
//
// A word ends at a space that is not within (…) or "…". Words are taken one by one from the front,
// and `key=value` words by their key, wherever they stand; finish() refuses what nobody has taken.
// Thread rule: values. Bounds: those of a line. Errors: ScenarioError.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "lock/tests/scenarios/scenario_error.hpp"

namespace fixkeep::scenarios {

class Words {
 public:
  explicit Words(std::string_view line);

  [[nodiscard]] bool done() const { return words_.empty(); }
  [[nodiscard]] const std::string& peek() const;  // empty if there is none
  std::string take(const std::string& what);      // which is missing, if it is
  std::string take_or(const std::string& otherwise);
  bool take_if(std::string_view word);  // if it is the next one
  bool flag(std::string_view word);     // wherever it is
  std::optional<std::string> key(std::string_view name);
  std::uint64_t number(std::string_view name, std::uint64_t otherwise);
  Duration duration(std::string_view name, Duration otherwise);
  std::vector<std::string> rest();
  void finish() const;

 private:
  std::vector<std::string> words_;
};

[[nodiscard]] std::uint64_t number_of(std::string_view text);
[[nodiscard]] constexpr std::uint32_t small(std::uint64_t number) {
  return static_cast<std::uint32_t>(number);
}
[[nodiscard]] Duration duration_of(std::string_view text);  // "1500ms", "10min"
[[nodiscard]] std::string text_of(Duration duration);
[[nodiscard]] std::vector<std::string> split(std::string_view text, char at);
// "p1..p3" is p1, p2 and p3.
[[nodiscard]] std::vector<std::string> range_of(const std::string& text);
[[nodiscard]] std::vector<std::string> names_of(const std::vector<std::string>& words);
// The text between the parentheses that a word ends with; `head` is what comes before.
[[nodiscard]] std::string_view inner(std::string_view word, std::string_view& head);

[[nodiscard]] std::pair<std::string, RoomNumber> room_of(const std::string& text);  // "w1#3"
[[nodiscard]] MasterId master_of(std::string_view name);                            // "m3"
[[nodiscard]] bool is_master(std::string_view name);
// "7.m2", "7.m2.0" and "7.m2.0/200"; the run of the master is default_run() if it is not said.
[[nodiscard]] FencingToken token_of(std::string_view text);
[[nodiscard]] std::string text_of(FencingToken token);
[[nodiscard]] CreationId creation_of(std::string_view text);
[[nodiscard]] std::string text_of(const CreationId& creation);
[[nodiscard]] inline Incarnation default_run(MasterId master) {
  return Incarnation{99U + master.number()};
}

}  // namespace fixkeep::scenarios
