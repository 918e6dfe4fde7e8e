// Intake takes the players' requests to a master. It identifies the caller and counts the request.
// It reads the body and puts a party together. Its result may be asked of the core.
//
// Invariants: 1. A caller names only players that it may name (identity.hpp, invitations.hpp).
//             2. Until it is done() an admitted request counts and its invitations are used.
//             3. A claim is in a code's group only if the code was made here or is right.
// Thread rule: the master's thread. Bounds and errors: its parts'; docs/api.md lists them.
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
#include "master/http/match/body.hpp"
#include "master/http/match/room_codes.hpp"
#include "master/rules/mode.hpp"

namespace fixkeep::master {

struct IntakeOptions {
  std::vector<Mode> modes;
  std::chrono::milliseconds wait{30'000};  // see longest_wait_of()
  ClientLimitOptions client_limits{};
  IdentityOptions identity{};
  std::string secret{};  // secret of the cluster; empty: none
};

class Intake {
 public:
  // A caller may show `burst` wrong codes at once and then one a second. Beyond that a wrong code
  // costs its connection. A right one always counts: many players may have one address. The length
  // of a code prevents guessing (room_codes.hpp), not this limit.
  static constexpr ClientLimitOptions wrong_codes{.per_second = 1, .burst = 5};

  explicit Intake(IntakeOptions options);

  // These count as long as the request waits.
  struct Held {
    CountedAs counted;
    std::vector<std::string> invitations;  // invitations of the request
    PlayerId leader{};                     // leader of the invitations
    std::string code;                      // code of its room; empty: none
  };
  struct Admitted {
    MatchBody body;
    Held held;
  };
  [[nodiscard]] std::variant<Admitted, Identity::Refusal> admit(
      const net::HttpRequest& request, const boost::asio::ip::address& client, TimePoint now);
  // The request has its seats or has ended without.
  void done(const Held& held, bool seated);

  // The caller of a request for something else than seats, or the answer that refuses it. It counts
  // like one for seats.
  [[nodiscard]] std::variant<Caller, net::HttpAnswer> caller_of(
      const net::HttpRequest& request, const boost::asio::ip::address& client, TimePoint now);

  // Counts a request without an identity for its address alone. Returns an answer if it is refused.
  [[nodiscard]] std::optional<net::HttpAnswer> count_read(const boost::asio::ip::address& client,
                                                          TimePoint now);

  // Answers POST /v1/invitations: the asking player agrees to be in the party of another one.
  [[nodiscard]] net::HttpAnswer invite(const net::HttpRequest& request,
                                       const boost::asio::ip::address& client, TimePoint now);

  void renew(std::vector<Mode> modes) { options_.modes = std::move(modes); }
  // The tokens and keys that count from now on.
  void renew(const IdentityOptions& identity) { identity_.renew(identity); }

  [[nodiscard]] const Identity::Refusals& callers_refused() const { return identity_.refused(); }
  [[nodiscard]] const std::vector<Mode>& modes() const { return options_.modes; }
  [[nodiscard]] std::chrono::milliseconds longest_wait() const { return options_.wait; }

 private:
  // Counts a request that is answered at once.
  [[nodiscard]] std::optional<net::HttpAnswer> count(const Caller& caller,
                                                     const boost::asio::ip::address& client,
                                                     TimePoint now);
  // Puts the invited players into the claim. Returns the mistake of an invitation.
  [[nodiscard]] std::optional<MatchProblem> gather(MatchBody& body, auth::WallTime wall);
  // Puts a claim with a code into the code's group. Returns the code's mistake.
  [[nodiscard]] std::optional<Identity::Refusal> enter_by_code(MatchBody& body,
                                                               const ClientAddress& guesser,
                                                               TimePoint now);
  const ClientAddress& name_of(const boost::asio::ip::address& client);

  IntakeOptions options_;
  Identity identity_;
  Invitations invitations_;
  CallerLimits limits_;
  RoomCodes codes_;
  ClientLimits wrong_codes_;
  boost::asio::ip::address named_;  // address that client_name_ names
  ClientAddress client_name_;
};

// The name under which a client is counted: its IPv4 address or the first 64 bits of its IPv6
// address. It owns that whole range.
[[nodiscard]] ClientAddress client_of(const boost::asio::ip::address& address);

}  // namespace fixkeep::master
