#include "tests/scenarios/cluster/words.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <chrono>
#include <utility>

namespace fixkeep::scenarios {
namespace {

using std::chrono::microseconds;

struct Unit {
  std::string_view name;
  std::int64_t microseconds;
};
constexpr std::array<Unit, 5> units{
    {{"h", 3'600'000'000}, {"min", 60'000'000}, {"s", 1'000'000}, {"ms", 1000}, {"us", 1}}};

std::size_t digits_at_end(std::string_view text) {
  std::size_t at = text.size();
  while (at > 0 && std::isdigit(static_cast<unsigned char>(text[at - 1])) != 0) --at;
  return at;
}

}  // namespace

Words::Words(std::string_view line) {
  std::string word;
  int depth = 0;
  bool quoted = false;
  const auto end_word = [&] {
    if (!word.empty()) words_.push_back(std::exchange(word, {}));
  };
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ' ' && depth == 0 && !quoted) {
      end_word();
    } else {
      if (!quoted) depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      word += c;
    }
  }
  require(depth == 0 && !quoted, "a parenthesis or a quotation has no end");
  end_word();
}

const std::string& Words::peek() const {
  static const std::string none;
  return words_.empty() ? none : words_.front();
}

std::string Words::take(const std::string& what) {
  require(!words_.empty(), what + " is missing");
  std::string word = std::move(words_.front());
  words_.erase(words_.begin());
  return word;
}

std::string Words::take_or(const std::string& otherwise) {
  return words_.empty() ? otherwise : take("");
}

bool Words::take_if(std::string_view word) {
  if (peek() != word) return false;
  words_.erase(words_.begin());
  return true;
}

bool Words::flag(std::string_view word) {
  return std::erase(words_, std::string{word}) > 0;
}

std::optional<std::string> Words::key(std::string_view name) {
  const std::string prefix = std::string{name} + "=";
  const auto found = std::find_if(words_.begin(), words_.end(),
                                  [&](const auto& word) { return word.starts_with(prefix); });
  if (found == words_.end()) return {};
  std::string value = found->substr(prefix.size());
  words_.erase(found);
  return value;
}

std::uint64_t Words::number(std::string_view name, std::uint64_t otherwise) {
  const auto value = key(name);
  return value ? number_of(*value) : otherwise;
}

Duration Words::duration(std::string_view name, Duration otherwise) {
  const auto value = key(name);
  return value ? duration_of(*value) : otherwise;
}

std::vector<std::string> Words::rest() {
  return std::exchange(words_, {});
}

void Words::finish() const {
  require(words_.empty(), "what does `" + peek() + "` mean here?");
}

std::uint64_t number_of(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  require(error == std::errc{} && end == text.data() + text.size(),
          "expected a number, not `" + std::string{text} + "`");
  return value;
}

Duration duration_of(std::string_view text) {
  std::size_t digits = 0;
  while (digits < text.size() && std::isdigit(static_cast<unsigned char>(text[digits])) != 0) {
    ++digits;
  }
  const std::string_view unit = text.substr(digits);
  for (const Unit& each : units) {
    if (each.name != unit) continue;
    const auto count = static_cast<std::int64_t>(number_of(text.substr(0, digits)));
    return microseconds{count * each.microseconds};
  }
  throw ScenarioError("expected a duration, not `" + std::string{text} + "`");
}

std::string text_of(Duration duration) {
  for (const Unit& each : units) {
    if (duration.count() == 0 || duration.count() % each.microseconds != 0) continue;
    return std::to_string(duration.count() / each.microseconds) + std::string{each.name};
  }
  return "0s";
}

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const auto end = std::min(text.find(at), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::vector<std::string> range_of(const std::string& text) {
  const auto dots = text.find("..");
  if (dots == std::string::npos) return {text};
  const std::string first = text.substr(0, dots);
  const std::string last = text.substr(dots + 2);
  const std::string name = first.substr(0, digits_at_end(first));
  require(last.starts_with(name), "a range has one name: " + text);
  std::vector<std::string> all;
  const auto end = number_of(last.substr(name.size()));
  for (auto i = number_of(first.substr(name.size())); i <= end; ++i) {
    all.push_back(name + std::to_string(i));
  }
  return all;
}

std::vector<std::string> names_of(const std::vector<std::string>& words) {
  std::vector<std::string> all;
  for (const std::string& word : words) {
    const auto range = range_of(word);
    all.insert(all.end(), range.begin(), range.end());
  }
  return all;
}

std::string_view inner(std::string_view word, std::string_view& head) {
  const auto open = word.find('(');
  require(open != std::string_view::npos && word.ends_with(')'),
          "expected (…) after `" + std::string{word} + "`");
  head = word.substr(0, open);
  return word.substr(open + 1, word.size() - open - 2);
}

bool is_master(std::string_view name) {
  return name.size() > 1 && name[0] == 'm' && digits_at_end(name) == 1;
}

std::pair<std::string, RoomNumber> room_of(const std::string& text) {
  const auto sign = text.find('#');
  require(sign != std::string::npos, "expected a room, w1#3, not `" + text + "`");
  return {text.substr(0, sign), RoomNumber{small(number_of(text.substr(sign + 1)))}};
}

MasterId master_of(std::string_view name) {
  require(is_master(name), "expected a master, not `" + std::string{name} + "`");
  return MasterId{static_cast<std::uint16_t>(number_of(name.substr(1)))};
}

FencingToken token_of(std::string_view text) {
  const auto parts = split(text, '.');
  require(parts.size() == 2, "expected a token, 7.m2, not `" + std::string{text} + "`");
  return {number_of(parts[0]), master_of(parts[1])};
}

std::string text_of(FencingToken token) {
  return std::to_string(token.counter) + "." + to_string(token.master);
}

CreationId creation_of(std::string_view text) {
  const auto run = split(text, '/');
  const auto parts = split(run.at(0), '.');
  require(parts.size() == 3, "expected an order, 7.m2.0, not `" + std::string{text} + "`");
  CreationId creation;
  creation.token = {number_of(parts[0]), master_of(parts[1])};
  creation.index = static_cast<std::uint32_t>(number_of(parts[2]));
  creation.orderer =
      run.size() > 1 ? Incarnation{number_of(run[1])} : default_run(creation.token.master);
  return creation;
}

std::string text_of(const CreationId& creation) {
  std::string text = text_of(creation.token) + "." + std::to_string(creation.index);
  if (creation.orderer != default_run(creation.token.master)) {
    text += "/" + std::to_string(creation.orderer.number());
  }
  return text;
}

}  // namespace fixkeep::scenarios
