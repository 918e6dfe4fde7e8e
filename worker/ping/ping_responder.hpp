// Answers players that measure their distance to a worker before they ask for a match.
//
// One port number takes two protocols. UDP: a datagram of `question` and at most `most_own_bytes`
// of the player's own comes back with `answer` in the place of `question`. TCP: GET /ping over HTTP
// is answered with 204. A page of any origin can time that although it may not read it.
//
// Guarantees: 1. An answer is as long as its question: it amplifies no flood.
//             2. An answer is no question: two responders cannot be set on each other.
//             3. A busy worker looks no farther away than it is: the thread does nothing else.
//             4. An answer comes from the address that was asked, even if the responder listens at
//                all addresses of the machine: a player's connected socket takes datagrams from no
//                other address. Fault model: questions come from forged addresses and in floods.
//                Thread rule: start(), port() and the destructor on one thread; everything else on
//                a thread of its own. Bounds: `most_per_second` datagrams are answered and a tenth
//                of that for one client. The others are dropped. Connections: PingOptions. Errors:
//                the address cannot be listened on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "common/base/result.hpp"

namespace fixkeep::worker {

struct PingOptions {
  std::string address;  // empty: all addresses of this machine
  std::uint16_t port = 0;
  std::size_t connections = 1'000;
  std::size_t connections_per_address = 100;
  std::uint32_t most_per_second = 10'000;
  std::uint32_t most_per_second_of_client = 1'000;  // limit for an IPv4 address, or a /64 of IPv6
};

class PingResponder {
 public:
  static constexpr std::string_view question = "fixkeep?";
  static constexpr std::string_view answer = "fixkeep!";
  static constexpr std::size_t most_own_bytes = 56;

  [[nodiscard]] static Result<std::unique_ptr<PingResponder>> start(const PingOptions& options);
  ~PingResponder();
  PingResponder(const PingResponder&) = delete;
  PingResponder& operator=(const PingResponder&) = delete;

  [[nodiscard]] std::uint16_t port() const;  // port of both protocols

 private:
  class Impl;
  explicit PingResponder(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace fixkeep::worker
