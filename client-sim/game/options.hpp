// The demo game's command line and the environment variables set by its worker. Thread rule:
// values. Errors: a text for standard error.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "client-sim/game/sdk_client.hpp"
#include "common/auth/seat_token.hpp"

namespace fixkeep::game {

struct Options {
  std::string address;                // empty: every address, IPv4 and IPv6
  std::uint16_t port = 0;             // --port, otherwise FIXKEEP_PORT
  SdkAddress sdk;                     // AGONES_SDK_HTTP_PORT, AGONES_SDK_GRPC_HOST
  std::string room;                   // FIXKEEP_ROOM_ID
  auth::Key seat_key{};               // FIXKEEP_SEAT_KEY
  std::uint32_t capacity = 0;         // FIXKEEP_CAPACITY; 0: the game has no limit
  std::chrono::milliseconds boot{0};  // from the start of the process to the open port
  double boot_fail_percent = 0;       // share of processes that end before they are ready
  std::optional<std::chrono::milliseconds> crash_after;  // time from being ready to the crash
  int exit_code = 3;                                     // exit code after a failed boot or a crash
  std::chrono::milliseconds health{2000};  // time between health calls; 0: no health calls
};

struct ParsedOptions {
  Options options;
  std::string problem;  // empty: no problem
  bool help = false;
};

[[nodiscard]] ParsedOptions parse_options(int argc, const char* const* argv);
[[nodiscard]] const char* usage();

}  // namespace fixkeep::game
