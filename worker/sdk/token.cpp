#include "worker/sdk/token.hpp"

#include "common/auth/hmac.hpp"

namespace fixkeep::worker {

SdkResult<> check_token(const SessionFacts& facts, std::optional<std::string_view> shown) {
  constexpr std::string_view scheme = "Bearer ";
  if (!shown || facts.token.empty()) return {};
  if (shown->starts_with(scheme) &&
      auth::equal_in_constant_time(shown->substr(scheme.size()), facts.token)) {
    return {};
  }
  return SdkError{SdkCode::unauthenticated,
                  std::string{"authorization is not \"Bearer \" and the room's "} + token_variable};
}

}  // namespace fixkeep::worker
