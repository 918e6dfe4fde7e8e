// Checks the token that a client of the SDK shows.
//
// The processes of a room are known by their connections (acceptor.hpp). The official clients show
// no token. A shown token has to be right. If strangers can dial too (SessionFacts::token_needed),
// a client without a token is refused.
// Thread rule: free function. Bounds: none. Errors: `unauthenticated`.
#pragma once

#include <optional>
#include <string_view>

#include "worker/sdk/errors.hpp"
#include "worker/sdk/game_server.hpp"

namespace fixkeep::worker {

inline constexpr auto token_variable = "FIXKEEP_SDK_TOKEN";

// `shown`: the header or metadata "authorization"; nullopt if missing.
[[nodiscard]] SdkResult<> check_token(const SessionFacts& facts,
                                      std::optional<std::string_view> shown);

}  // namespace fixkeep::worker
