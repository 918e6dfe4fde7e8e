// Intake admits the players' requests to a master. It identifies the caller and counts the request.
// It reads the body and completes the party. The result is ready for the core.
//
// Invariants: 1. A caller names only players that it may name (identity.hpp, invitations.hpp).
//             2. Until done() an admitted request counts, and its invitations count as used.
//             3. A claim is in a code's group only if this master made or verified the code.
// Thread rule: the master's thread. Bounds and errors: those of its parts. docs/api.md lists the
// errors.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/net/http/server.hpp"
#include "master/http/identity/caller_limits.hpp"
#include "master/http/identity/identity.hpp"
#include "master/http/identity/invitations.hpp"
#include "master/http/identity/ticket_text.hpp"
#include "master/http/match/body.hpp"
#include "master/http/match/room_codes.hpp"
#include "master/rules/mode.hpp"

namespace fixkeep::master {

struct IntakeOptions {
  std::vector<Mode> modes;
  std::chrono::milliseconds wait{30'000};  // as in longest_wait_of()
  ClientLimitOptions client_limits{};
  IdentityOptions identity{};
  std::string secret{};  // the cluster's secret; empty: none
};

class Intake {
 public:
  // A caller may send `burst` wrong codes immediately, and then one wrong code per second. Beyond
  // this limit a wrong code closes its connection. A correct code is always accepted, because many
  // players may share an address. This limit does not need to prevent guessing: codes are long
  // enough for that (room_codes.hpp).
  static constexpr ClientLimitOptions wrong_codes{.per_second = 1, .burst = 5};

  explicit Intake(IntakeOptions options);

  // Contains what an admitted request occupies until done(): a place within its caller's limits,
  // and its invitations.
  struct Held {
    CountedAs counted;
    std::vector<std::string> invitations;  // used invitations
    PlayerId leader{};                     // leader of the invitations
    std::string code;                      // code of the room; empty: none
  };
  struct Admitted {
    MatchBody body;
    Held held;
    std::string owner;  // owner_of() its caller
  };
  [[nodiscard]] std::variant<Admitted, Identity::Refusal> admit(
      const net::HttpRequest& request, const boost::asio::ip::address& client, TimePoint now);
  // Admits the request of a ticket for a caller that is already known. In the result, `wait` and
  // `age` of the body follow from the ticket's times.
  [[nodiscard]] std::variant<Admitted, Identity::Refusal> admit_ticket(
      std::string_view ticket, const Caller& caller, const boost::asio::ip::address& client,
      TimePoint now);
  [[nodiscard]] TicketTexts& tickets() { return tickets_; }
  // The admitted request no longer counts. If the request got no seats, its invitations are valid
  // again.
  void done(const Held& held, bool seated);

  // Returns the caller of a request that is not for seats, or the answer that refuses the request.
  // Such a request counts like a request for seats.
  [[nodiscard]] std::variant<Caller, net::HttpAnswer> caller_of(
      const net::HttpRequest& request, const boost::asio::ip::address& client, TimePoint now);

  // Counts a request under its address alone, and ignores its token or key. Returns the answer if
  // the request is refused.
  [[nodiscard]] std::optional<net::HttpAnswer> count_read(const boost::asio::ip::address& client,
                                                          TimePoint now);

  // Answers POST /v1/invitations: the requesting player agrees to be in another player's party.
  [[nodiscard]] net::HttpAnswer invite(const net::HttpRequest& request,
                                       const boost::asio::ip::address& client, TimePoint now);

  void renew(std::vector<Mode> modes) { options_.modes = std::move(modes); }
  // Sets the tokens and keys that are accepted from now on.
  void renew(const IdentityOptions& identity) { identity_.renew(identity); }

  [[nodiscard]] const Identity::Refusals& callers_refused() const { return identity_.refused(); }
  [[nodiscard]] const std::vector<Mode>& modes() const { return options_.modes; }
  [[nodiscard]] std::chrono::milliseconds longest_wait() const { return options_.wait; }

 private:
  using Read = std::variant<MatchBody, MatchProblem>;
  [[nodiscard]] Read read_body(std::string_view body, const Caller& caller, auth::WallTime wall);
  [[nodiscard]] Read read_ticket(std::string_view ticket, const Caller& caller,
                                 auth::WallTime wall);
  // `read`: reads the request. It is called after the caller's limits have admitted the request.
  template <class Reader>
  [[nodiscard]] std::variant<Admitted, Identity::Refusal> admit(
      const Caller& caller, const boost::asio::ip::address& client, TimePoint now,
      const Reader& read);
  // Counts a request that is answered immediately. Returns the answer if the request is refused.
  [[nodiscard]] std::optional<net::HttpAnswer> count(const Caller& caller,
                                                     const boost::asio::ip::address& client,
                                                     TimePoint now);
  // Adds the invited players to the claim. Returns the mistake in an invitation, if any.
  [[nodiscard]] std::optional<MatchProblem> gather(MatchBody& body, auth::WallTime wall);
  // Puts a claim with a code into the code's group. Returns the mistake in the code, if any.
  [[nodiscard]] std::optional<Identity::Refusal> enter_by_code(MatchBody& body,
                                                               const ClientAddress& guesser,
                                                               TimePoint now);
  const ClientAddress& name_of(const boost::asio::ip::address& client);

  IntakeOptions options_;
  Identity identity_;
  Invitations invitations_;
  CallerLimits limits_;
  RoomCodes codes_;
  TicketTexts tickets_;
  ClientLimits wrong_codes_;
  boost::asio::ip::address named_;  // address for client_name_
  ClientAddress client_name_;
};

// Returns the name under which a client counts: its IPv4 address, or the first 64 bits of its IPv6
// address. One client usually owns this whole range.
[[nodiscard]] ClientAddress client_of(const boost::asio::ip::address& address);

}  // namespace fixkeep::master
