// The tickets that this master holds, each with its present state and the poll that waits for it.
//
// A ticket without a poll ends here when its `due` time comes; its text remains valid. Tickets that
// have ended are kept for a while, so that the next poll learns the reason.
//
// Invariants: 1. A player has at most one waiting ticket for a mode here.
//             2. Exactly the waiting tickets have a request in MatchDesk, and count for a client.
// Thread rule: one owner; reads no clock. Bounds: `most_held` waiting tickets. At this bound, a new
// ticket replaces the oldest ticket of the client with the most tickets, if that client has more
// tickets than the new ticket's client would have. `most_ended` ended tickets; the ticket that
// ended first is forgotten first. Errors: none.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/net/http/server.hpp"
#include "master/core/groups/schedule.hpp"
#include "master/core/seam/settings.hpp"
#include "master/http/identity/ticket_text.hpp"

namespace fixkeep::master {

enum class TicketState : std::uint8_t {
  waiting,    // no seat yet
  matched,    // has a seat in a room that is not ready yet; it may lose this seat
  ready,      // has a seat in an open room
  cancelled,  // by its owner
  expired,    // no seat was found in time
  failed,     // refused for a reason that waiting does not change
};
[[nodiscard]] std::string_view to_string(TicketState state);
// Returns whether the ticket has no answer yet.
[[nodiscard]] inline bool waits(TicketState state) {
  return state == TicketState::waiting || state == TicketState::matched;
}

struct TicketPoll {
  net::HttpResponder responder;
  std::uint64_t number = 0;  // no other poll of this master has this number
  TimePoint until;
  std::string seen{};  // "If-None-Match": tags of the states that the client has seen
  std::optional<net::HttpStream> stream{};  // the poll is a stream of all news
};

struct HeldTicket {
  TicketClaims claims;
  ModeName mode;
  std::vector<PlayerId> players;
  ClientAddress client;
  TimePoint since;
  TimePoint deadline;  // end of the wait
  TicketId request;    // its request in MatchDesk while it waits
  TicketState state = TicketState::waiting;
  std::string outcome{};         // JSON of the seat or of the problem; empty: none
  std::optional<RoomId> room{};  // the room of its seats
  TimePoint seat_ends{};         // if `ready`
  std::optional<TicketPoll> poll{};
  TimePoint due = TimePoint::max();  // end of the poll's wait, or of the time to keep the ticket
  std::uint64_t ended_as = 0;        // its number among the ended tickets; 0: it waits
};

class HeldTickets {
 public:
  static constexpr std::size_t most_held = 40'000;  // waiting tickets
  static constexpr std::size_t most_ended = 10'000;

  // Each of these functions returns null if there is no such ticket here. The pointer is valid
  // until the table changes.
  [[nodiscard]] HeldTicket* find(const std::string& id);
  [[nodiscard]] HeldTicket* of_request(TicketId request);
  [[nodiscard]] HeldTicket* waiting_of(const ModeName& mode, const std::vector<PlayerId>& players);

  // Returns the ticket that must be removed before the client gets one more. Null pointer: there is
  // a place without a removal. No value: the client gets no more, because no client has more
  // tickets than this client would then have.
  [[nodiscard]] std::optional<HeldTicket*> to_go_for(const ClientAddress& client);

  // REQUIRES: no ticket with this id, and no waiting ticket of its players in its mode, is here.
  HeldTicket& add(HeldTicket&& ticket);
  // Ends the wait of the ticket. REQUIRES: the ticket waits, and `state` is not a waiting state.
  void end(HeldTicket& ticket, TicketState state);
  void set_due(HeldTicket& ticket, TimePoint at);
  void erase(HeldTicket& ticket);

  [[nodiscard]] HeldTicket* due(TimePoint now);  // a ticket whose time has come, or null
  [[nodiscard]] TimePoint next_due() const { return due_.next(); }
  [[nodiscard]] std::size_t waiting() const { return by_request_.size(); }
  [[nodiscard]] std::size_t size() const { return tickets_.size(); }

 private:
  void stop_waiting(const HeldTicket& ticket);
  void count(const ClientAddress& client, std::size_t before, std::size_t now);

  std::map<std::string, HeldTicket> tickets_;  // key: TicketClaims::id
  std::map<TicketId, std::string> by_request_;
  std::map<std::pair<ModeName, PlayerId>, std::string> by_player_;
  std::map<ClientAddress, std::set<TicketId>> by_client_;       // requests, oldest first
  std::set<std::pair<std::size_t, ClientAddress>> most_first_;  // clients by their tickets
  std::map<std::uint64_t, std::string> ended_;                  // earliest first
  std::uint64_t last_ended_ = 0;
  Schedule<std::string> due_;
};

}  // namespace fixkeep::master
