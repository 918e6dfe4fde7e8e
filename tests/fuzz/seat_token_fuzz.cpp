// Seat tokens, as players show them to a game, and tickets, as players show them to a master: any
// text, and texts that are signed with the right key. The text of the key itself, too.
#include <string>

#include "common/auth/hmac.hpp"
#include "common/auth/seat_token.hpp"
#include "common/base/assert.hpp"
#include "common/base/base64.hpp"
#include "common/base/ids.hpp"
#include "master/http/identity/ticket_text.hpp"
#include "tests/fuzz/targets.hpp"

namespace fixkeep::fuzz {
namespace {

constexpr std::string_view token_room = "w1-5f3a9c0211d2e4b7-12";
constexpr auth::Key token_key{1, 2, 3};
constexpr auth::WallTime token_now{std::chrono::milliseconds{1'700'000'000'000}};

std::string base64url_of(std::string_view bytes) {
  std::string text;
  append_base64url(bytes, text);
  return text;
}

// What is believed is what a master of ours would sign.
void check_claims(const auth::SeatClaims& claims, std::string_view token) {
  FIXKEEP_ASSERT(claims.room == token_room && claims.expires_at > token_now, claims.room);
  const auto again =
      auth::verify_seat(token_key, token_room, auth::sign_seat(token_key, claims), token_now);
  FIXKEEP_ASSERT(again && *again == claims, std::string{token});
}

constexpr std::string_view ticket_secret = "the secret of a cluster for fuzzing";

// What a master of ours would not sign in the same bytes counts for nothing.
void check_ticket(std::string_view text) {
  static master::TicketTexts tickets{ticket_secret};
  const auto read = tickets.read(text, "player ann");
  const auto* claims = std::get_if<master::TicketClaims>(&read);
  if (claims == nullptr) return;
  FIXKEEP_ASSERT(text.size() <= master::TicketTexts::most_bytes, "too long");
  const auto signed_again = tickets.sign(*claims);
  if (!signed_again) return;  // numbers with zeros in front are longer or shorter
  const auto again = tickets.read(*signed_again, "player ann");
  FIXKEEP_ASSERT(std::get<master::TicketClaims>(again) == *claims, std::string{text});
}

}  // namespace

void fuzz_seat_token(std::string_view bytes) {
  // Any text. A good one among them would be a forgery, but for the few of the corpus.
  if (const auto claims = auth::verify_seat(token_key, token_room, bytes, token_now)) {
    check_claims(*claims, bytes);
  }
  (void)auth::unverified_claims(bytes);
  check_ticket(bytes);
  const std::string body = base64url_of(bytes);
  for (const std::string& part : {body, std::string{bytes}}) {
    const auto digest = auth::hmac_sha256(auth::view_of(token_key), part);
    const std::string token = part + "." + base64url_of(auth::view_of(digest));
    if (const auto claims = auth::verify_seat(token_key, token_room, token, token_now)) {
      check_claims(*claims, token);
    }
    const auto key = auth::hmac_sha256(ticket_secret, "fixkeep key of tickets 1");
    const auto proof = auth::hmac_sha256(auth::view_of(key), part);
    check_ticket(part + "." + base64url_of(auth::view_of(proof)));
  }
  if (const auto key = auth::parse_key(bytes)) {
    FIXKEEP_ASSERT(auth::parse_key(auth::to_text(*key)).value() == *key, "key");
  }
  if (const auto room = parse_room_id(bytes)) {
    FIXKEEP_ASSERT(to_string(*room) == bytes, std::string{bytes});
  }
  if (const auto creation = parse_creation_id(bytes)) {
    FIXKEEP_ASSERT(to_string(*creation) == bytes, std::string{bytes});
  }
}

}  // namespace fixkeep::fuzz
