#include "master/http/identity/ticket_text.hpp"

#include <array>
#include <charconv>

#include "common/auth/signed_lines.hpp"
#include "common/base/assert.hpp"

namespace fixkeep::master {
namespace {

constexpr std::string_view version_of_tickets = "fixkeep ticket 1";

// The lines are: version, both times in ms since 1970, id, owner and request. The request is JSON,
// which may contain line breaks.
using TicketLines = std::array<std::string_view, 6>;

auth::Key key_of_tickets(std::string_view secret) {
  if (secret.empty()) return auth::random_bytes();
  return auth::hmac_sha256(secret, "fixkeep key of tickets 1");
}

std::string ms_text(auth::WallTime time) {
  return std::to_string(time.time_since_epoch().count());
}

std::optional<auth::WallTime> time_in(std::string_view text) {
  std::int64_t ms = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ms);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return auth::WallTime{std::chrono::milliseconds{ms}};
}

}  // namespace

TicketTexts::TicketTexts(std::string_view secret) : key_(auth::view_of(key_of_tickets(secret))) {}

std::optional<std::string> TicketTexts::sign(const TicketClaims& claims) {
  FIXKEEP_ASSERT(claims.owner.find('\n') == std::string::npos, claims.id);
  std::string text =
      auth::sign_lines(key_, {version_of_tickets, ms_text(claims.since), ms_text(claims.until),
                              claims.id, claims.owner, claims.request});
  if (text.size() > most_bytes) return {};
  return text;
}

std::variant<TicketClaims, TicketTexts::Fault> TicketTexts::read(std::string_view text,
                                                                 std::string_view owner) {
  if (text.size() > most_bytes) return Fault::forged;
  const auto claims = auth::verified_claims(key_, text);
  const auto lines =
      claims ? auth::lines_of<std::tuple_size_v<TicketLines>>(*claims) : std::nullopt;
  if (!lines || lines->front() != version_of_tickets) return Fault::forged;
  const auto since = time_in((*lines)[1]);
  const auto until = time_in((*lines)[2]);
  if (!since || !until) return Fault::forged;
  if ((*lines)[4] != owner) return Fault::of_another;
  return TicketClaims{std::string{(*lines)[3]}, std::string{owner}, *since, *until,
                      std::string{lines->back()}};
}

std::string owner_of(const Caller& caller) {
  switch (caller.kind) {
    case Caller::Kind::anybody: return {};
    case Caller::Kind::player: return "player " + caller.player.text();
    case Caller::Kind::service: return "key " + caller.key->name;
  }
  return {};
}

bool is_service(std::string_view owner) {
  return owner.starts_with("key ");
}

}  // namespace fixkeep::master
