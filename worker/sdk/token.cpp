#include "worker/sdk/token.hpp"

#include <openssl/crypto.h>

#include "common/base/credential.hpp"

namespace fixkeep::worker {
namespace {

// Returns whether the texts are equal. Takes the same time wherever they differ.
bool equal(std::string_view one, std::string_view other) {
  return one.size() == other.size() && CRYPTO_memcmp(one.data(), other.data(), other.size()) == 0;
}

}  // namespace

SdkResult<> check_token(const SessionFacts& facts, std::optional<std::string_view> shown) {
  if (facts.token.empty() || (!shown && !facts.token_needed)) return {};
  const auto token = credential_in(shown.value_or(""), "bearer");
  if (token && equal(*token, facts.token)) return {};
  return SdkError{SdkCode::unauthenticated,
                  std::string{"authorization is not \"Bearer \" and the room's "} + token_variable};
}

}  // namespace fixkeep::worker
