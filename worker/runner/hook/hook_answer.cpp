#include "worker/runner/hook/hook_answer.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <vector>

#include "common/base/printable.hpp"
#include "worker/runner/object_name.hpp"

namespace fixkeep::worker {
namespace {

constexpr std::size_t most_place_bytes = 4096;
constexpr std::string_view blank = " \t\r";

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (auto begin = line.find_first_not_of(blank); begin != std::string_view::npos;) {
    const auto end = std::min(line.find_first_of(blank, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(blank, end);
  }
  return words;
}

// Returns 0 if the word is no port.
std::uint16_t port_of(std::string_view word) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), port);
  return error == std::errc{} && end == word.data() + word.size() ? port : std::uint16_t{0};
}

// Says whether the character may be in a host's name or address.
bool is_of_a_host(unsigned char c) {
  constexpr std::string_view others = ".-_:";
  return c < 0x80 && (std::isalnum(c) != 0 || others.find(static_cast<char>(c)) != others.npos);
}

// Returns whether the name has the form that the setting `ports` requires.
bool is_port_name(std::string_view name) {
  return !name.empty() && name[0] >= 'a' && name[0] <= 'z' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
         });
}

}  // namespace

std::variant<wire::RoomPlace, std::string> parse_place(std::string_view line) {
  const auto words = words_of(line.substr(0, most_place_bytes));
  wire::RoomPlace place;
  bool named = line.size() <= most_place_bytes && !words.empty();
  if (named) place.host = words[0];
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto equals = std::min(words[i].find('='), words[i].size() - 1);
    const auto name = i == 1 ? wire::main_port_name : words[i].substr(0, equals);
    named = named && is_port_name(name);
    place.ports.push_back({std::string{name}, port_of(words[i].substr(i == 1 ? 0 : equals + 1))});
  }
  const auto& host = place.host;
  if (named && std::all_of(host.begin(), host.end(), is_of_a_host) && wire::is_valid(place)) {
    return place;
  }
  return "its first line must be \"HOST PORT [NAME=PORT ...]\", is \"" +
         printable(line.substr(0, 100)) + "\"";
}

std::string to_line(const wire::RoomPlace& place) {
  std::string line = place.host;
  for (const auto& port : place.ports) {
    line += &port == &place.ports.front() ? " " : " " + port.name + "=";
    line += std::to_string(port.number);
  }
  return line;
}

std::string_view first_line(std::string_view text) {
  return text.substr(0, text.find('\n'));
}

std::string last_line(std::string_view text) {
  const auto end = text.find_last_not_of(" \t\r\n");
  if (end == std::string_view::npos) return {};
  text = text.substr(0, end + 1);
  text.remove_prefix(text.find_last_of('\n') + 1);  // with one line only, npos + 1 is 0
  return printable(text.substr(0, 200));
}

std::set<std::string, std::less<>> parse_names(std::string_view text) {
  std::set<std::string, std::less<>> names;
  while (!text.empty()) {
    const auto words = words_of(first_line(text));
    if (words.size() == 1 && words[0].size() <= most_object_name) names.emplace(words[0]);
    text.remove_prefix(std::min(first_line(text).size() + 1, text.size()));
  }
  return names;
}

}  // namespace fixkeep::worker
