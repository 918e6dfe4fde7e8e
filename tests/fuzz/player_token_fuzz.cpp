// Tokens of players: any text; heads and claims that are signed with the right secret; and files of
// keys.
#include <string>

#include "common/auth/hmac.hpp"
#include "common/auth/jwt/token_verifier.hpp"
#include "common/base/assert.hpp"
#include "common/base/base64.hpp"
#include "common/base/printable.hpp"
#include "tests/fuzz/targets.hpp"

namespace fixkeep::fuzz {
namespace {

constexpr std::string_view issuer_secret = "the secret of an issuer for fuzzing";
constexpr auth::WallTime verified_at{std::chrono::milliseconds{1'700'000'000'000}};

const auth::TokenVerifier& verifier() {
  static const auth::TokenVerifier made{
      {.issuer = "i", .audience = "a"},
      {std::get<auth::TokenKey>(auth::TokenKey::of_secret("", std::string{issuer_secret}))}};
  return made;
}

void check(std::string_view token) {
  const auto result = verifier().verify(token, verified_at);
  const auto* verified = std::get_if<auth::PlayerToken>(&result);
  if (verified == nullptr) return;
  const std::string& player = verified->player.text();
  FIXKEEP_ASSERT(!player.empty() && player.size() <= 128 && is_printable(player), player);
  FIXKEEP_ASSERT(verified->ends > verified_at, player);
}

}  // namespace

void fuzz_player_token(std::string_view bytes) {
  check(bytes);
  const auto end = bytes.find('\n');
  std::string signed_text;
  append_base64url(bytes.substr(0, end), signed_text);
  signed_text += '.';
  append_base64url(end == std::string_view::npos ? "" : bytes.substr(end + 1), signed_text);
  std::string token = signed_text + '.';
  append_base64url(auth::view_of(auth::hmac_sha256(issuer_secret, signed_text)), token);
  check(token);
  const auto read = auth::read_token_keys(bytes);
  if (const auto* file = std::get_if<auth::KeyFile>(&read)) {
    const auto& keys = file->keys;
    FIXKEEP_ASSERT(!keys.empty() && keys.size() <= auth::most_token_keys, "keys");
    FIXKEEP_ASSERT(!keys.front().verify("text", "no signature"), "a key that believes anything");
  }
}

}  // namespace fixkeep::fuzz
