// Valve's query A2S_INFO, as bytes: https://developer.valvesoftware.com/wiki/Server_queries.
//
// The answer is a challenge or the server's information. After a challenge, the worker repeats the
// question and appends the challenge to it. Two forms are refused: answers in several packets
// (A2S_INFO needs only one packet), and answers from GoldSrc servers before 2008.
// Thread rule: free functions. Bounds: one packet. Errors: A2sRubbish.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace fixkeep::probe {

struct A2sInfo {
  std::uint8_t players = 0;  // players and bots
  std::uint8_t maximum = 0;
  std::uint8_t bots = 0;

  friend bool operator==(const A2sInfo&, const A2sInfo&) = default;
};
struct A2sChallenge {
  std::string bytes;  // four bytes

  friend bool operator==(const A2sChallenge&, const A2sChallenge&) = default;
};
struct A2sRubbish {
  std::string why;

  friend bool operator==(const A2sRubbish&, const A2sRubbish&) = default;
};
using A2sAnswer = std::variant<A2sInfo, A2sChallenge, A2sRubbish>;

[[nodiscard]] std::string a2s_question(std::string_view challenge);
[[nodiscard]] A2sAnswer read_a2s(std::string_view datagram);

}  // namespace fixkeep::probe
