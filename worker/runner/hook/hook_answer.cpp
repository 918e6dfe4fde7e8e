#include "worker/runner/hook/hook_answer.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <vector>

#include "common/base/printable.hpp"
#include "worker/runner/object_name.hpp"

namespace fixkeep::worker {
namespace {

constexpr std::size_t most_host_bytes = 253;
constexpr std::size_t most_name_bytes = 64;
constexpr std::size_t most_ports = 9;  // as many as a mode may name, and the one for players
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

std::optional<std::uint16_t> port_of(std::string_view word) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), port);
  if (error != std::errc{} || end != word.data() + word.size() || port == 0) return std::nullopt;
  return port;
}

bool is_host(std::string_view word) {
  return word.size() <= most_host_bytes &&
         std::all_of(word.begin(), word.end(), [](unsigned char c) {
           return c < 0x80 &&
                  (std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_' || c == ':');
         });
}

bool is_port_name(std::string_view word) {
  return !word.empty() && word.size() <= most_name_bytes && word[0] >= 'a' && word[0] <= 'z' &&
         std::all_of(word.begin(), word.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
         });
}

}  // namespace

std::variant<wire::RoomPlace, std::string> parse_place(std::string_view line) {
  const auto wrong = [line](const std::string& why) {
    return "its first line must be \"HOST PORT [NAME=PORT ...]\", " + why + ": \"" +
           printable(line.substr(0, 100)) + "\"";
  };
  const auto words = words_of(line);
  if (words.size() < 2) return wrong("has too few words");
  if (words.size() > most_ports + 1) return wrong("has too many ports");
  if (!is_host(words[0])) return wrong("and this is no host");
  wire::RoomPlace place{.host = std::string{words[0]}, .ports = {}};
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto equals = i == 1 ? 0 : words[i].find('=');
    const auto name = i == 1 ? wire::main_port_name : words[i].substr(0, equals);
    const auto port = equals == std::string_view::npos
                          ? std::nullopt
                          : port_of(words[i].substr(i == 1 ? 0 : equals + 1));
    const bool twice = std::any_of(place.ports.begin(), place.ports.end(),
                                   [&](const auto& each) { return each.name == name; });
    if (!port || !is_port_name(name) || twice) return wrong("and this is no list of ports");
    place.ports.push_back({std::string{name}, *port});
  }
  return place;
}

std::string_view first_line(std::string_view text) {
  return text.substr(0, text.find('\n'));
}

std::string last_line(std::string_view text) {
  const auto end = text.find_last_not_of(" \t\r\n");
  if (end == std::string_view::npos) return {};
  text = text.substr(0, end + 1);
  text.remove_prefix(text.find_last_of('\n') + 1);  // npos + 1 is 0: there is one line
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
