// The calls about tickets: a match request that needs no open connection (docs/api.md, "Tickets").
//
// A ticket waits as a held request of MatchDesk. GET is a long poll: it waits until the state
// changes. A ticket without a poll for `keep` is cancelled here, so no absent player gets a seat.
// The ticket's text remains valid. If a poll shows a ticket that this master does not hold, the
// master takes the ticket over, and its players keep the time that they have waited. Two masters
// that hold one ticket have two claims of one player. The rules for two such claims apply
// (master/core/claims/one_seat.hpp).
//
// A stream (streams.hpp) is a poll without an end. If a service reads a stream of all its tickets,
// these tickets need no polls.
//
// Invariants: 1. Each poll is answered once, or its client has hung up.
//             2. A ticket has at most one request in MatchDesk; a poll makes no second request.
// Thread rule: the master's thread. Bounds: those of HeldTickets; one poll for each ticket, the
// latest; a poll waits at most `longest_poll`. Errors: application/problem+json; docs/api.md lists
// the types.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>

#include "master/core/master_core.hpp"
#include "master/http/match/desk.hpp"
#include "master/http/tickets/answers.hpp"
#include "master/http/tickets/held_tickets.hpp"
#include "master/http/tickets/streams.hpp"

namespace fixkeep::master {

struct ApiCall;

class TicketsDesk {
 public:
  static constexpr std::chrono::seconds longest_poll{60};

  using Tell =
      std::function<void(std::string)>;  // takes ticket_event() of a service's ticket; may be empty
  // `keep`: how long a ticket waits without a poll. `desk` and `core` outlive the object.
  TicketsDesk(MatchDesk& desk, const MasterCore& core, Duration keep, Tell tell = {});

  void make(const ApiCall& call);
  void make_all(const ApiCall& call);  // a batch of a service
  void watch(const ApiCall& call);     // a stream for the tickets of a service
  void show(const ApiCall& call);
  void cancel(const ApiCall& call);

  void matched(const Matched& news, TimePoint now);
  // Ends the streams of services: their keys may be no longer valid.
  void keys_changed() { services_.close_all(); }
  // Ends polls and tickets whose time has come.
  void tick(TimePoint now);
  [[nodiscard]] TimePoint next_tick() const {
    return std::min(held_.next_due(), services_.next_tick());
  }
  [[nodiscard]] std::size_t held() const { return held_.size(); }

 private:
  struct Shown {
    Caller caller;
    std::string text;
    TicketClaims claims;
  };
  [[nodiscard]] std::optional<Caller> service_of(const ApiCall& call);
  [[nodiscard]] net::HttpAnswer make_one(const net::HttpRequest& request,
                                         const boost::asio::ip::address& client, TimePoint now);
  // Completes the claims and signs them, or returns the refusal.
  [[nodiscard]] std::variant<std::string, net::HttpAnswer> sign(std::string_view request,
                                                                const MatchBody& body,
                                                                TicketClaims& claims);
  // Identifies the caller and reads the ticket of the path. If this fails, answers the call.
  [[nodiscard]] std::optional<Shown> shown(const ApiCall& call);
  using Taken = std::variant<HeldTicket*, net::HttpAnswer>;
  // Holds the ticket from now on, or returns the refusal.
  [[nodiscard]] Taken take(const net::HttpRequest& by, TicketId request, TicketClaims&& claims,
                           Intake::Admitted&& admitted, TimePoint now);
  HeldTicket* take_over(const ApiCall& call, const Shown& shown);
  [[nodiscard]] std::optional<net::HttpAnswer> make_place(const ClientAddress& client,
                                                          TimePoint now);
  [[nodiscard]] net::HttpAnswer refuse_second(const HeldTicket& first, const std::string& owner,
                                              TimePoint now);
  void poll(const ApiCall& call, HeldTicket& ticket);
  void stream(const ApiCall& call, HeldTicket& ticket);
  void continue_stream(HeldTicket& ticket, TimePoint now);  // sends the news, or a comment
  void end_earlier_poll(HeldTicket& ticket, TimePoint now);
  void report(const HeldTicket& ticket, TimePoint now);  // tells the service's streams
  // `retry_after_s`: the client's pause before its next poll; 0: none.
  void answer_poll(HeldTicket& ticket, TimePoint now, unsigned retry_after_s = 0);
  void ended(MatchDesk::HeldEnd&& end);
  void end(HeldTicket& ticket, TicketState state, std::string outcome, TimePoint now);
  void hung_up(const std::string& id, std::uint64_t poll, TimePoint now);
  void let_go(HeldTicket& ticket, net::HttpAnswer answer);
  [[nodiscard]] TicketFacts facts_of(const HeldTicket& ticket, TimePoint now);
  void gave_back(const std::string& id, TimePoint now);
  void keep(HeldTicket& ticket, TimePoint now);  // until the next poll should have come

  MatchDesk& desk_;
  const MasterCore& core_;
  Duration keep_time_;
  Tell tell_;
  HeldTickets held_;
  OwnerStreams services_;
  std::uint64_t last_poll_ = 0;
};

}  // namespace fixkeep::master
