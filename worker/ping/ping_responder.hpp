// Answers players that measure their round trip to a worker before they request a match.
//
// One port number serves two protocols. UDP: a datagram consists of `question` and at most
// `most_own_bytes` bytes of the player. The reply has `answer` in the place of `question`. TCP: GET
// /ping over HTTP is answered with 204. A web page of any origin can measure how long this takes,
// although the page cannot read the answer.
//
// Guarantees: 1. An answer is as long as its question, so answers cannot amplify a flood.
//             2. An answer is not a valid question, so nobody can make two responders answer each
//                other.
//             3. A busy worker does not increase the round trip, because the responder's thread
//                does nothing else.
//             4. An answer comes from the address to which the question was sent, even if the
//                responder listens at all addresses of the machine. A player's connected socket
//                accepts datagrams only from this address.
// Fault model: questions come from forged addresses and in floods.
// Thread rule: call start(), port() and the destructor on one thread. The responder answers on a
// thread of its own. Bounds: at most `most_per_second` datagrams are answered in a second, and at
// most `most_per_second_of_client` of one client. Further datagrams are dropped. See PingOptions
// for the bounds of connections. Errors: the responder cannot listen on the address.
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
  std::uint32_t most_per_second_of_client = 1'000;  // for an IPv4 address or an IPv6 /64 network
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
