// Whether what a client of the SDK shows of itself is the token of the room.
//
// The processes of a room are known by their connections (acceptor.hpp), and the official clients
// show nothing. One that shows something means to be checked, and has to be right. Where others can
// dial as well (SessionFacts::token_needed), who shows nothing is refused.
// Thread rule: free function. Bounds: none. Errors: `unauthenticated`.
#pragma once

#include <optional>
#include <string_view>

#include "worker/sdk/errors.hpp"
#include "worker/sdk/game_server.hpp"

namespace fixkeep::worker {

inline constexpr auto token_variable = "FIXKEEP_SDK_TOKEN";

// `shown`: the header or metadata "authorization", nothing if there is none.
[[nodiscard]] SdkResult<> check_token(const SessionFacts& facts,
                                      std::optional<std::string_view> shown);

}  // namespace fixkeep::worker
