// The text of a ticket: a signed match request, with the time since which its players wait.
//
// The client carries the text, so no master stores it. Any master of the cluster verifies the text
// and continues the wait (docs/api.md, "Tickets"). A ticket is useful only together with the
// player's token, or with the service's key, that requested this ticket.
//
// Assumes: the masters' wall clocks agree. A difference makes a wait longer or shorter by the same
// time; the reader bounds the wait. Thread rule: one owner; reads no clock. Bounds: `most_bytes`.
// Errors: Fault.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "common/auth/hmac.hpp"
#include "common/auth/seat_token.hpp"
#include "master/http/identity/caller.hpp"

namespace fixkeep::master {

struct TicketClaims {
  std::string id;     // short name, the only part of a ticket in a log
  std::string owner;  // owner_of() the caller that asked for the ticket
  auth::WallTime since;
  auth::WallTime until;
  std::string request;  // a body of POST /v1/match that names all its players

  friend bool operator==(const TicketClaims&, const TicketClaims&) = default;
};

class TicketTexts {
 public:
  // A ticket fits into the head of a request beside a player's token (HttpOptions::header_bytes).
  static constexpr std::size_t most_bytes = 4'000;

  enum class Fault : std::uint8_t { forged, of_another };

  // `secret`: the cluster's secret. If `secret` is empty, only this object reads its own tickets.
  explicit TicketTexts(std::string_view secret);

  // Returns nothing if the text would be too long.
  [[nodiscard]] std::optional<std::string> sign(const TicketClaims& claims);
  // Checks the signature and the owner, but not `until`.
  [[nodiscard]] std::variant<TicketClaims, Fault> read(std::string_view text,
                                                       std::string_view owner);

 private:
  auth::HmacKey key_;
};

// Returns the name of the caller that may show a ticket. All callers without token and key have the
// same name, because each of them may name any player.
[[nodiscard]] std::string owner_of(const Caller& caller);
[[nodiscard]] bool is_service(std::string_view owner);  // owner_of() a service

}  // namespace fixkeep::master
