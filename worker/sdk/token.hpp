// Checks the token that a client of the SDK sends.
//
// A room's processes are recognised by their connections (acceptor.hpp), and the official clients
// send no token. If a client sends a token, the token must be correct. If other processes can
// connect too (SessionFacts::token_needed), a client without a token is refused.
// Thread rule: free function. Bounds: none. Errors: `unauthenticated`.
#pragma once

#include <optional>
#include <string_view>

#include "worker/sdk/errors.hpp"
#include "worker/sdk/game_server.hpp"

namespace fixkeep::worker {

inline constexpr auto token_variable = "FIXKEEP_SDK_TOKEN";

// `shown`: the value of the header or metadata "authorization"; nullopt if missing.
[[nodiscard]] SdkResult<> check_token(const SessionFacts& facts,
                                      std::optional<std::string_view> shown);

}  // namespace fixkeep::worker
