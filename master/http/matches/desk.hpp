// The calls of a service about matches that were made elsewhere (common/wire/match.hpp).
//
// A PUT for a new match gets two tickets of the core. The first ticket keeps the claim even without
// a client. The second ticket is for the answer, and its deadline is the end of the client's wait.
// A match with a room needs only the second ticket. The facts of a room come from the directory, so
// that every master gives the same answer.
//
// Invariants: 1. Each responder is answered once, or its client has hung up.
//             2. A match has at most one kept claim here, and its body never changes.
//             3. A GET reserves no seats after the end of the room's first reservation that this
//                master has answered. Thus polling keeps no empty room.
// Thread rule: the master's thread. Bounds: `most_kept` kept claims for each caller,
// `most_failures` remembered failures, `most_told` remembered rooms. Errors:
// application/problem+json; docs/api.md lists the types.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/auth/seat_token.hpp"
#include "common/net/http/server.hpp"
#include "master/core/master_core.hpp"
#include "master/http/match/desk.hpp"
#include "master/http/matches/body.hpp"

namespace fixkeep::master {

struct ApiCall;

class MatchesDesk {
 public:
  static constexpr std::size_t most_kept = 1'000;
  static constexpr std::size_t most_failures = 10'000;
  static constexpr std::size_t most_told = 100'000;

  // The arguments outlive the object.
  MatchesDesk(MatchDesk& desk, const MasterCore& core) : desk_(desk), core_(core) {}

  void put(const ApiCall& call);
  void get(const ApiCall& call);
  void end(const ApiCall& call);
  void join(const ApiCall& call);
  void leave(const ApiCall& call);

  // Each of these functions returns false if the ticket is not from this desk.
  bool answer(const Seated& seated, TimePoint now, auth::WallTime wall);
  bool answer(const Refused& refused, TimePoint now);

 private:
  struct Named {  // the match that a call names, and its caller
    std::string id;
    GroupKey group;
    Caller caller;
    CountedAs counted;
    MatchState state;
  };
  struct Kept {
    TicketId ticket;
    MatchRequested request;
    CountedAs counted;
  };
  struct Watcher {
    std::string id;
    net::HttpResponder responder;
    TimePoint deadline;
    ModeName mode;
    std::shared_ptr<const wire::MatchFacts> facts;  // facts of the claim; for a GET, of the room
  };

  // Identifies the caller and the match. If this fails, answers the call.
  [[nodiscard]] std::optional<Named> named(const ApiCall& call);
  // Answers a call about a match that has no open room here.
  void answer_without_room(const ApiCall& call, const Named& match);
  void watch(const ApiCall& call, const Named& match, MatchRequested request,
             std::chrono::milliseconds wait);
  void watch_room(const ApiCall& call, const Named& match, std::chrono::milliseconds wait);
  void keep(const Named& match, MatchRequested request);
  void forget(const std::string& id);  // REQUIRES: the match has a kept claim
  void cancel(const std::string& id);  // works like forget(), and ends the waiting calls
  // Returns the mode as it was when the match was made, as far as the body needs it.
  [[nodiscard]] Mode mode_then(const wire::MatchFacts& match, const ModeName& name,
                               std::uint32_t capacity) const;
  [[nodiscard]] net::HttpAnswer not_ready(const std::string& id, const ModeName& mode) const;
  [[nodiscard]] net::HttpAnswer without_seats(const Named& match) const;
  void failed(const std::string& id, Refusal reason);
  [[nodiscard]] net::HttpAnswer refusal_of(const Watcher& watcher, const Refused& refused) const;
  [[nodiscard]] const Mode* find_mode(const ModeName& name) const;  // null: unknown
  [[nodiscard]] std::chrono::milliseconds longest_wait(const ModeName& mode) const;
  [[nodiscard]] MatchRequested request_in(const Room& room, const Named& match) const;

  MatchDesk& desk_;
  const MasterCore& core_;
  std::map<std::string, Kept> kept_;              // key: match id
  std::map<TicketId, std::string> kept_tickets_;  // the match of each kept claim
  std::map<TicketId, Watcher> watchers_;
  std::map<ClientAddress, std::size_t> kept_by_;
  std::map<std::string, std::string_view> failures_;  // why the last try of a match failed
  std::deque<std::string> failures_by_age_;
  std::map<RoomId, TimePoint> told_;  // the end of the first reservation that was answered
  std::deque<RoomId> told_by_age_;
};

}  // namespace fixkeep::master
