// The command line of the demo game and what its worker puts in its environment.
// Thread rule: values. Errors: in words for standard error.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "client-sim/game/sdk_client.hpp"
#include "common/auth/seat_token.hpp"

namespace fixkeep::game {

struct Options {
  std::string address;                // empty: every one, of both families
  std::uint16_t port = 0;             // --port, else FIXKEEP_PORT
  SdkAddress sdk;                     // AGONES_SDK_HTTP_PORT, AGONES_SDK_GRPC_HOST
  std::string room;                   // FIXKEEP_ROOM_ID
  auth::Key seat_key{};               // FIXKEEP_SEAT_KEY
  std::uint32_t capacity = 0;         // FIXKEEP_CAPACITY; 0: not limited here
  std::chrono::milliseconds boot{0};  // counted from the start of the process
  double boot_fail_percent = 0;       // share of processes that end instead of getting ready
  std::optional<std::chrono::milliseconds> crash_after;  // counted from being ready
  int exit_code = 3;                                     // exit code after a failed boot or a crash
  std::chrono::milliseconds health{2000};                // time between signs of life; 0: none
};

struct ParsedOptions {
  Options options;
  std::string problem;  // empty: fine
  bool help = false;
};

[[nodiscard]] ParsedOptions parse_options(int argc, const char* const* argv);
[[nodiscard]] const char* usage();

}  // namespace fixkeep::game
