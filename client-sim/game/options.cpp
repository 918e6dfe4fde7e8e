#include "client-sim/game/options.hpp"

#include <arpa/inet.h>

#include <charconv>
#include <cstdlib>
#include <fstream>
#include <string_view>

namespace fixkeep::game {
namespace {

template <class Number>
bool read(std::string_view text, Number least, Number most, Number& out) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return false;
  if (value < least || value > most) return false;
  out = value;
  return true;
}

bool read(std::string_view text, std::chrono::milliseconds& out) {
  std::int64_t count = 0;
  if (!read<std::int64_t>(text, 0, 86'400'000, count)) return false;
  out = std::chrono::milliseconds{count};
  return true;
}

bool read_file(const std::string& path, std::chrono::milliseconds& out) {
  std::ifstream file{path};
  std::string line;
  return std::getline(file, line) && read(line, out);
}

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view{} : std::string_view{value};
}

bool read_option(std::string_view name, std::string_view value, Options& out) {
  if (name == "--address") {
    out.address = value;
    return true;
  }
  if (name == "--port") return read<std::uint16_t>(value, 1, 65535, out.port);
  if (name == "--boot-ms") return read(value, out.boot);
  if (name == "--boot-ms-file") return read_file(std::string{value}, out.boot);
  if (name == "--boot-fail-percent") return read<double>(value, 0, 100, out.boot_fail_percent);
  if (name == "--crash-after-ms") return read(value, out.crash_after.emplace());
  if (name == "--exit-code") return read<int>(value, 0, 255, out.exit_code);
  if (name == "--health-ms") return read(value, out.health);
  return false;
}

std::string read_environment(Options& out) {
  if (const auto port = variable("FIXKEEP_PORT"); !port.empty()) {
    if (!read<std::uint16_t>(port, 1, 65535, out.port)) return "FIXKEEP_PORT is no port";
  }
  if (const auto port = variable("AGONES_SDK_HTTP_PORT"); !port.empty()) {
    if (!read<std::uint16_t>(port, 1, 65535, out.sdk.port))
      return "AGONES_SDK_HTTP_PORT is no port";
  }
  const std::string host{variable("AGONES_SDK_GRPC_HOST")};
  in_addr address{};
  if (::inet_pton(AF_INET, host.c_str(), &address) == 1) {
    out.sdk.host = ntohl(address.s_addr);
    out.sdk.token = variable("FIXKEEP_SDK_TOKEN");
  } else if (!host.empty() && host != "localhost") {
    return "AGONES_SDK_GRPC_HOST is neither localhost nor an address of IPv4";
  }
  if (const auto capacity = variable("FIXKEEP_CAPACITY"); !capacity.empty()) {
    if (!read<std::uint32_t>(capacity, 1, 1'000'000, out.capacity)) {
      return "FIXKEEP_CAPACITY is no number of seats";
    }
  }
  out.room = variable("FIXKEEP_ROOM_ID");
  if (out.room.empty()) return "FIXKEEP_ROOM_ID is missing";
  const auto key = auth::parse_key(variable("FIXKEEP_SEAT_KEY"));
  if (!key) return "FIXKEEP_SEAT_KEY is no key";
  out.seat_key = *key;
  return {};
}

}  // namespace

ParsedOptions parse_options(int argc, const char* const* argv) {
  ParsedOptions result;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view{argv[i]} == "--help") {
      result.help = true;
      return result;
    }
  }
  result.problem = read_environment(result.options);
  for (int i = 1; i < argc && result.problem.empty(); i += 2) {
    const std::string name = argv[i];
    if (i + 1 == argc) {
      result.problem = name + " needs a value";
    } else if (!read_option(name, argv[i + 1], result.options)) {
      result.problem = "unknown option or wrong value: " + name + " " + argv[i + 1];
    }
  }
  if (result.problem.empty() && result.options.port == 0) result.problem = "--port is missing";
  return result;
}

const char* usage() {
  return "fixkeep-demo-game: a room that players join with a seat token. Started by a worker.\n"
         "  --port N               listen here (default: FIXKEEP_PORT)\n"
         "  --address A            on this address (default: all, IPv4 and IPv6)\n"
         "  --boot-ms N            time from the start to being ready\n"
         "  --boot-ms-file F       the same, from the first line of this file\n"
         "  --boot-fail-percent P  processes of 100 that end instead\n"
         "  --crash-after-ms N     time from being ready to the end\n"
         "  --exit-code N          exit code of a failed boot and of a crash (default 3)\n"
         "  --health-ms N          time between health calls to the worker; 0: no calls (default "
         "2000)\n"
         "Environment: FIXKEEP_ROOM_ID, FIXKEEP_SEAT_KEY, FIXKEEP_CAPACITY, AGONES_SDK_HTTP_PORT "
         "(missing: no SDK); if AGONES_SDK_GRPC_HOST is an address, FIXKEEP_SDK_TOKEN.\n";
}

}  // namespace fixkeep::game
