// Where a match request over HTTP becomes a ticket, and a ticket's end an HTTP answer.
//
// Keeps the responders of all requests that wait, signs seat tokens, and puts wall-clock expiry on
// what the core only knows as a time to live.
//
// Invariants: 1. a ticket that was given out is answered once, or its client has hung up.
//             2. a client that hangs up has its ticket cancelled, once.
//             3. every answer has the request's id: the client's own, or the ticket's name.
// Thread rule: the master's thread. Bounds: as many tickets as the HTTP server has connections;
// room_keys derived keys. Errors: application/problem+json, the types are listed in docs/api.md.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/auth/seat_token.hpp"
#include "common/net/http/server.hpp"
#include "master/core/claims/tickets.hpp"
#include "master/core/master_core.hpp"
#include "master/core/seam/events.hpp"
#include "master/http/identity/caller_limits.hpp"
#include "master/http/identity/identity.hpp"
#include "master/http/identity/invitations.hpp"
#include "master/http/match/body.hpp"
#include "master/http/match/capacity.hpp"
#include "master/http/match/match_log.hpp"
#include "master/http/match/match_spans.hpp"
#include "master/http/match/statistics.hpp"
#include "master/rules/mode.hpp"

namespace fixkeep::master {

// These requests wait, and since when.
struct WaitingFacts {
  struct OfGroup {
    GroupKey group;
    std::size_t requests = 0;
    TimePoint since;  // the oldest of them
  };
  std::size_t requests = 0;
  std::optional<TimePoint> since;  // the oldest of them; none waits
  std::vector<OfGroup> groups;     // those that wait longest, the first of them first
};

struct MatchDeskOptions {
  MasterId self;
  Incarnation incarnation;
  std::vector<Mode> modes;
  std::chrono::milliseconds wait{30'000};  // of a request that names no wait_ms, and the most
  ClientLimitOptions client_limits{};
  IdentityOptions identity{};
  std::string secret;  // of the cluster; empty: there is none
  SpanOptions spans{};
};

class MatchDesk {
 public:
  // `post` takes the events that the desk makes: MatchRequested and RequestCancelled. The desk
  // outlives every responder's handlers.
  MatchDesk(MatchDeskOptions options, std::function<void(Event&&)> post);

  void request(const net::HttpRequest& request, const net::HttpResponder& responder, TimePoint now);
  // Answers POST /v1/invitations: the player who asks agrees to be in the party of another one.
  void invite(const net::HttpRequest& request, const net::HttpResponder& responder, TimePoint now);
  // The tokens and keys that count from now on.
  void renew(const IdentityOptions& identity) { identity_.renew(identity); }
  void answer(const Seated& seated, TimePoint now, auth::WallTime wall);
  // `directory` says why, if no worker could start a room.
  void answer(const Refused& refused, TimePoint now, const Directory& directory);

  // GET /v1/modes answers with this and more.
  [[nodiscard]] const std::string& modes_json() const { return modes_json_; }
  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
  [[nodiscard]] std::optional<TimePoint> oldest_waits_since() const;
  // Nothing is kept for it while requests come and go: it looks at the oldest tickets_looked_at.
  [[nodiscard]] WaitingFacts waiting_facts(const MasterCore& core) const;
  [[nodiscard]] const MatchStatistics& statistics() const { return statistics_; }

 private:
  struct Waiting {
    net::HttpResponder responder;
    std::size_t mode = 0;  // its place among the options' modes
    CountedAs counted;
    std::vector<std::string> invitations;  // that it came with
    TimePoint since;
    wire::RequestContext context;
    std::optional<MatchSpans::Open> span;
  };
  struct Named {
    TicketId ticket;
    wire::RequestContext context;
    std::optional<MatchSpans::Open> span;
  };

  // Puts those who come with an invitation into the claim; what is wrong with one of them.
  [[nodiscard]] std::optional<MatchProblem> gather(MatchBody& body, auth::WallTime wall);
  const ClientAddress& name_of(const boost::asio::ip::address& client);
  auth::SeatSigner& signer_of(const Seated& seated, const std::string& room_text);
  void note_request(wire::RequestContext& context, MatchRequested& match) const;
  // At once: it is in no statistics yet.
  void refuse(const net::HttpResponder& responder, Named&& request, std::string_view type,
              net::HttpAnswer&& answer, TimePoint now);
  void answer_refusal(const net::HttpResponder& responder, Named&& request, std::string_view type,
                      net::HttpAnswer&& answer, TimePoint now);
  [[nodiscard]] std::string text_of(TicketId ticket) const {
    return ticket_text(ticket_prefix_, ticket);
  }
  std::optional<Waiting> take(TicketId ticket, std::string_view outcome, TimePoint now);
  std::string_view text_of(auth::WallTime time);

  static constexpr std::size_t room_keys = 4'000;  // 1 KB each
  static constexpr std::size_t tickets_looked_at = 2'000;
  static constexpr std::size_t groups_told = 50;

  MatchDeskOptions options_;
  std::function<void(Event&&)> post_;
  Identity identity_;
  Invitations invitations_;
  CallerLimits limits_;
  std::string modes_json_;
  std::string ticket_prefix_;
  std::uint64_t last_ticket_ = 0;
  std::map<TicketId, Waiting> waiting_;  // the oldest first
  MatchStatistics statistics_;
  MatchLog log_;
  MatchSpans spans_;
  std::unordered_map<std::string, auth::SeatSigner> signers_;  // by room id
  auth::WallTime formatted_{};                                 // what formatted_text_ says
  std::string formatted_text_;
  boost::asio::ip::address named_;  // of whom client_name_ is the name
  ClientAddress client_name_;
};

// The name under which a client is counted: its IPv4 address, or the first 64 bits of its IPv6
// address, since it has all addresses that begin with them.
[[nodiscard]] ClientAddress client_of(const boost::asio::ip::address& address);

// The stable name of the error.
[[nodiscard]] std::string_view type_of(Refusal refusal);

[[nodiscard]] std::string_view type_of(const ClientLimits::Admission& refused);
[[nodiscard]] net::HttpAnswer to_answer(const ClientLimits::Admission& refused);

// Makes the answer that tells a refusal over HTTP. `lack` counts if no worker could start a room.
// `failures`: why games fail to boot (capacity.hpp), for the refusals that are due to it.
[[nodiscard]] net::HttpAnswer to_answer(const Refused& refused, CapacityLack lack,
                                        std::string_view failures = {});

}  // namespace fixkeep::master
