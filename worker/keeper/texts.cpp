#include "worker/keeper/texts.hpp"

#include <cstdint>
#include <cstring>
#include <utility>

namespace fixkeep::worker::keeper {
namespace {

using Length = std::uint32_t;

std::optional<std::vector<std::string>> from_list(std::string_view list) {
  std::vector<std::string> texts;
  while (!list.empty()) {
    const auto text = take_text(list);
    if (!text) return std::nullopt;
    texts.emplace_back(*text);
  }
  return texts;
}

std::optional<std::vector<std::string>> from_list_1(std::string_view list) {
  std::vector<std::string> texts;
  for (auto end = list.find('\0'); end != std::string_view::npos; end = list.find('\0')) {
    texts.emplace_back(list.substr(0, end));
    list.remove_prefix(end + 1);
  }
  if (!list.empty()) return std::nullopt;
  return texts;
}

std::optional<Packet> with_text(Word word, std::string text) {
  if (text.size() > most_text_bytes) return std::nullopt;
  return Packet{.word = word, .text = std::move(text)};
}

}  // namespace

void append_text(std::string& list, std::string_view text) {
  const auto length = static_cast<Length>(text.size());
  list.append(reinterpret_cast<const char*>(&length), sizeof length);
  list += text;
}

std::optional<std::string_view> take_text(std::string_view& list) {
  Length length = 0;
  if (list.size() < sizeof length) return std::nullopt;
  std::memcpy(&length, list.data(), sizeof length);
  if (list.size() - sizeof length < length) return std::nullopt;
  const auto text = list.substr(sizeof length, length);
  list.remove_prefix(sizeof length + length);
  return text;
}

std::optional<Packet> packet_of(Word word, const std::vector<std::string>& texts) {
  std::string list;
  for (const auto& text : texts) append_text(list, text);
  return with_text(word, std::move(list));
}

std::optional<Packet> packet_of_1(Word word, const std::vector<std::string>& texts) {
  std::string list;
  for (const auto& text : texts) {
    if (text.find('\0') != std::string::npos) return std::nullopt;
    list += text;
    list += '\0';
  }
  return with_text(word, std::move(list));
}

std::optional<std::vector<std::string>> texts_of(const Packet& packet) {
  switch (packet.word) {
    case Word::run:
    case Word::complaint: return from_list(packet.text);
    case Word::run_1:
    case Word::complaint_1: return from_list_1(packet.text);
    case Word::hello:
    case Word::signal:
    case Word::end:
    case Word::follow:
    case Word::state:
    case Word::wrote:
    case Word::ran:
    case Word::trouble:
    case Word::ended:
    case Word::started:
    case Word::placed: break;
  }
  return std::nullopt;
}

}  // namespace fixkeep::worker::keeper
