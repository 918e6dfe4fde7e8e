#include "worker/probe/core/a2s.hpp"

#include <algorithm>

#include "worker/probe/core/byte_pattern.hpp"
#include "worker/probe/core/dialog.hpp"

namespace fixkeep::probe {
namespace {

using namespace std::string_view_literals;

constexpr auto one_packet = "\xff\xff\xff\xff"sv;
constexpr auto several_packets = "\xfe\xff\xff\xff"sv;
constexpr char kind_challenge = 'A';
constexpr char kind_info = 'I';
constexpr std::size_t challenge_bytes = 4;
// Limit of the challenges in one try. A server may change its challenge between two questions, but
// a server that only sends challenges is unhealthy.
constexpr int a2s_rounds = 3;

// Removes a zero-terminated text from the front. Returns false if the text has no end.
bool skip_text(std::string_view& rest) {
  const auto end = rest.find('\0');
  if (end == std::string_view::npos) return false;
  rest.remove_prefix(end + 1);
  return true;
}

A2sAnswer read_info(std::string_view rest) {
  constexpr std::size_t before_players = 2;  // bytes of the application's number
  constexpr int texts = 4;                   // name, map, folder, game
  if (rest.empty()) return A2sRubbish{"it ends too early"};
  rest.remove_prefix(1);  // version of the protocol
  for (int i = 0; i < texts; ++i) {
    if (!skip_text(rest)) return A2sRubbish{"it ends too early"};
  }
  if (rest.size() < before_players + 3) return A2sRubbish{"it ends too early"};
  const auto number = [&](std::size_t at) {
    return static_cast<std::uint8_t>(rest[before_players + at]);
  };
  return A2sInfo{.players = number(0), .maximum = number(1), .bots = number(2)};
}

}  // namespace

std::string a2s_question(std::string_view challenge) {
  std::string packet{one_packet};
  packet += "TSource Engine Query\0"sv;
  packet += challenge;
  return packet;
}

A2sAnswer read_a2s(std::string_view datagram) {
  if (datagram.starts_with(several_packets)) return A2sRubbish{"it is in several packets"};
  const bool has_kind = datagram.starts_with(one_packet) && datagram.size() > one_packet.size();
  const auto rest = has_kind ? datagram.substr(one_packet.size()) : std::string_view{};
  if (rest.starts_with(kind_info)) return read_info(rest.substr(1));
  if (rest.starts_with(kind_challenge) && rest.size() > challenge_bytes) {
    return A2sChallenge{std::string{rest.substr(1, challenge_bytes)}};
  }
  return A2sRubbish{"it begins with " + first_bytes(datagram)};
}

std::string A2sDialog::question() const {
  return a2s_question(challenge_);
}

Heard A2sDialog::take(std::string_view datagram) {
  const auto answer = read_a2s(datagram);
  if (const auto* rubbish = std::get_if<A2sRubbish>(&answer)) {
    failure_ = {.kind = Failure::Kind::not_expected, .text = rubbish->why};
    return Heard::nothing;
  }
  if (const auto* challenge = std::get_if<A2sChallenge>(&answer)) {
    failure_ = {.kind = Failure::Kind::not_expected, .text = "it is only another challenge"};
    if (challenges_ == a2s_rounds) return Heard::nothing;
    ++challenges_;
    challenge_ = challenge->bytes;
    return Heard::question;
  }
  const auto& info = std::get<A2sInfo>(answer);
  const int people = info.players - info.bots;
  players_ = PlayerCount{.players = static_cast<std::uint32_t>(std::max(people, 0)),
                         .bots = info.bots,
                         .maximum = info.maximum};
  return Heard::answer;
}

}  // namespace fixkeep::probe
