// The desk turns a match request over HTTP into a ticket, and the end of a ticket into an HTTP
// answer.
//
// Intake admits requests. The desk stores the responders of all waiting requests and signs seat
// tokens. The desk converts the lifetimes from the core into expiry times on the wall clock.
//
// Invariants: 1. Each ticket is answered once or cancelled.
//             2. If a client hangs up, its ticket is cancelled once.
//             3. Every answer contains the request's id: the client's id or the ticket's name.
//             4. A waiting request is found only by its own caller, by the request's id.
// Thread rule: the master's thread. Bounds: one ticket for each connection of the HTTP server, and
// HeldTickets::most_held; at most `room_keys` derived keys. Errors: application/problem+json;
// docs/api.md lists the types.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/auth/seat_token.hpp"
#include "common/net/http/server.hpp"
#include "master/core/claims/tickets.hpp"
#include "master/core/master_core.hpp"
#include "master/core/seam/events.hpp"
#include "master/http/match/intake.hpp"
#include "master/http/match/match_log.hpp"
#include "master/http/match/match_spans.hpp"
#include "master/http/match/mode_waits.hpp"
#include "master/http/match/refusals.hpp"
#include "master/http/statistics.hpp"
#include "master/rules/mode.hpp"

namespace fixkeep::master {

// The number of waiting requests, and the start of the oldest wait.
struct WaitingFacts {
  struct OfGroup {
    GroupKey group;
    std::size_t requests = 0;
    TimePoint since;  // start of the oldest wait
  };
  std::size_t requests = 0;
  std::optional<TimePoint> since;  // start of the oldest wait; null: none waits
  std::vector<OfGroup> groups;     // groups that wait longest, longest wait first
};

struct MatchDeskOptions {
  MasterId self;
  Incarnation incarnation;
  IntakeOptions intake;
  SpanOptions spans{};
};

class MatchDesk {
 public:
  // `post` receives the desk's events: MatchRequested, RequestCancelled, WhyAsked and SeatsLeft.
  // The desk outlives every responder's handlers.
  MatchDesk(MatchDeskOptions options, std::function<void(Event&&)> post);

  void request(const net::HttpRequest& request, const net::HttpResponder& responder, TimePoint now);

  // The end of a held request, which waits without a connection. cancel() reports no end.
  struct HeldEnd {
    TicketId ticket;
    net::HttpAnswer answer;
    const Seated* seated = nullptr;  // null: the request is refused
    TimePoint now;
  };
  void on_held_end(std::function<void(HeldEnd&&)> handler) { held_end_ = std::move(handler); }
  void hold(TicketId ticket, Intake::Admitted&& admitted, wire::RequestContext context,
            TimePoint now);
  void cancel(TicketId ticket, TimePoint now);  // no effect on an answered ticket
  // The public name of a ticket.
  [[nodiscard]] std::string name_of(TicketId ticket) const {
    return ticket_text(ticket_prefix_, ticket);
  }
  // Returns the expected wait of a new request of the mode; null: not known. `mode`: an index into
  // the modes.
  [[nodiscard]] nlohmann::ordered_json estimate_json(std::size_t mode, TimePoint now);
  // Gives the seats back, with a new ticket. Answers 204 after the room's worker has done this, or
  // 503 worker-away. `done`: called before the answer 204.
  void leave(SeatsLeft&& seats, const net::HttpResponder& responder,
             std::function<void()> done = {});
  [[nodiscard]] Intake& intake() { return intake_; }
  // Returns a ticket for another desk of this master.
  [[nodiscard]] TicketId new_ticket() { return TicketId{++last_ticket_}; }
  void post(Event&& event) { post_(std::move(event)); }
  // Replaces the modes. If anything but the warm rooms and the shadow rules of a mode has changed,
  // the mode's waiting requests are refused (503 modes-changed).
  void renew(std::vector<Mode> modes, TimePoint now);
  void answer(const Seated& seated, TimePoint now, auth::WallTime wall);
  // `directory`: for the reason why no worker could start a room.
  void answer(const Refused& refused, TimePoint now, const Directory& directory);
  void answer(const SeatsGivenBack& done);

  struct WaitingRequest {
    TicketId ticket;
    const ModeName& mode;
    TimePoint since;
  };
  // Returns the caller's last request with this id. Valid until the request ends.
  [[nodiscard]] std::optional<WaitingRequest> find_waiting(const CountedAs& caller,
                                                           std::string_view request_id) const;
  void ask_why(TicketId ticket) { post_(WhyAsked{ticket}); }
  // Returns the body of GET /v1/modes/{mode}/statistics. REQUIRES: `mode` is an index into the
  // modes.
  [[nodiscard]] std::string mode_statistics(std::size_t mode, const MasterCounters& counters,
                                            TimePoint now);

  // Returns the constant part of the answer to GET /v1/modes.
  [[nodiscard]] const std::string& modes_json() const { return modes_json_; }
  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
  [[nodiscard]] std::optional<TimePoint> oldest_waits_since() const;
  // Returns the number of all tickets, and facts about the groups of the oldest tickets. Visits at
  // most `tickets_looked_at` tickets, so requests need no bookkeeping for these facts.
  [[nodiscard]] WaitingFacts waiting_facts(const MasterCore& core) const;
  [[nodiscard]] const MatchStatistics& statistics() const { return statistics_; }
  // Visits up to `tickets_looked_at` tickets, oldest first.
  void each_old_ticket(const auto& visit) const {
    std::size_t left = tickets_looked_at;
    for (auto at = waiting_.begin(); at != waiting_.end() && left > 0; ++at, --left) {
      visit(at->first);
    }
  }

 private:
  struct Waiting {
    std::optional<net::HttpResponder> responder;  // null: a held request
    std::size_t mode = 0;                         // index into the options' modes
    Intake::Held held;
    TimePoint since;
    wire::RequestContext context;
    std::optional<MatchSpans::Open> span;
  };
  struct Leaving {
    net::HttpResponder responder;
    std::function<void()> done;
  };
  struct Named {
    TicketId ticket;
    std::optional<net::HttpResponder> responder;
    wire::RequestContext context;
    std::optional<MatchSpans::Open> span;
    std::string why{};  // text for operators; empty: none
  };

  auth::SeatSigner& signer_of(const Seated& seated, const std::string& room_text);
  void note_request(wire::RequestContext& context, MatchRequested& match) const;
  void begin(Named&& request, Intake::Admitted&& admitted, TimePoint now);
  void give(const std::optional<net::HttpResponder>& responder, HeldEnd&& end);
  void answer_refusal(Named&& request, std::string_view type, net::HttpAnswer&& answer,
                      TimePoint now);
  void look_at_waits(TimePoint now);
  std::optional<Waiting> take(TicketId ticket, std::string_view outcome, TimePoint now);
  void forget_name(const Waiting& ended, TicketId ticket);  // then find_waiting() does not find it
  std::string_view text_of(auth::WallTime time);

  static constexpr std::size_t room_keys = 4'000;  // 1 KB each
  static constexpr std::size_t tickets_looked_at = 2'000;
  static constexpr std::size_t groups_told = 50;

  Intake intake_;
  std::function<void(Event&&)> post_;
  std::function<void(HeldEnd&&)> held_end_;
  std::string modes_json_;
  std::string ticket_prefix_;
  std::uint64_t last_ticket_ = 0;
  std::map<TicketId, Waiting> waiting_;  // oldest first
  std::map<TicketId, Leaving> leaving_;
  std::unordered_map<std::string, TicketId> by_request_id_;  // key: request id and caller
  MatchStatistics statistics_;
  ModeWaits waits_;
  MatchLog log_;
  MatchSpans spans_;
  std::unordered_map<std::string, auth::SeatSigner> signers_;  // key: room id
  auth::WallTime formatted_{};                                 // the time in formatted_text_
  std::string formatted_text_;
};

}  // namespace fixkeep::master
