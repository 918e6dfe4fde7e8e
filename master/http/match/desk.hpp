// Where a match request over HTTP becomes a ticket, and a ticket's end an HTTP answer.
//
// Keeps the responders of all requests that wait, signs seat tokens, and puts wall-clock expiry on
// what the core only knows as a time to live.
//
// Invariants: 1. a ticket that was given out is answered once, or its client has hung up.
//             2. a client that hangs up has its ticket cancelled, once.
// Thread rule: the master's thread. Bounds: as many tickets as the HTTP server has connections;
// room_keys derived keys. Errors: application/problem+json, the types are listed in docs/api.md.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/auth/seat_token.hpp"
#include "common/net/http/server.hpp"
#include "master/core/events.hpp"
#include "master/http/match/capacity.hpp"
#include "master/http/match/client_limits.hpp"
#include "master/rules/mode.hpp"

namespace fixkeep::master {

struct MatchDeskOptions {
  MasterId self;
  Incarnation incarnation;
  std::vector<Mode> modes;
  std::chrono::milliseconds wait{30'000};  // of a request that names no wait_ms, and the most
  ClientLimitOptions client_limits{};
};

class MatchDesk {
 public:
  // `post` takes the events that the desk makes: MatchRequested and RequestCancelled. The desk
  // outlives every responder's handlers.
  MatchDesk(MatchDeskOptions options, std::function<void(Event&&)> post);

  void request(const net::HttpRequest& request, const net::HttpResponder& responder, TimePoint now);
  void answer(const Seated& seated, auth::WallTime now);
  // `directory` says why, if no worker could start a room.
  void answer(const Refused& refused, const Directory& directory);

  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }

 private:
  struct Waiting {
    net::HttpResponder responder;
    ModeName mode;
    ClientAddress client;
  };

  const auth::Key& key_of(const Seated& seated, const std::string& room_text);
  std::optional<Waiting> take(TicketId ticket);
  std::string_view text_of(auth::WallTime time);

  static constexpr std::size_t room_keys = 20'000;

  MatchDeskOptions options_;
  std::function<void(Event&&)> post_;
  ClientLimits limits_;
  std::string ticket_prefix_;
  std::uint64_t last_ticket_ = 0;
  std::unordered_map<TicketId, Waiting> waiting_;
  std::unordered_map<std::string, auth::Key> keys_;  // by room id
  auth::WallTime formatted_{};                       // what formatted_text_ says
  std::string formatted_text_;
};

// The name under which a client is counted: its IPv4 address, or the first 64 bits of its IPv6
// address, since it has all addresses that begin with them.
[[nodiscard]] ClientAddress client_of(const boost::asio::ip::address& address);

// How a refusal is told over HTTP. `lack` counts if no worker could start a room.
// `failures`: why games fail to boot (capacity.hpp), for the refusals that are due to it.
[[nodiscard]] net::HttpAnswer to_answer(const Refused& refused, CapacityLack lack,
                                        std::string_view failures = {});

}  // namespace fixkeep::master
