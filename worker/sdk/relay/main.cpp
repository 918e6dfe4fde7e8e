// fixkeep-sdk-relay runs in the second container of a room's pod. See relay.hpp.

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>

#include "common/process/self.hpp"
#include "worker/sdk/relay/relay.hpp"
#include "worker/sdk/usual_ports.hpp"

namespace {

constexpr std::string_view usage =
    "fixkeep-sdk-relay: hands the SDK of a room to the game beside it, at the ports of Agones on\n"
    "the loopback device. A worker makes it the second container of a room's pod, with\n"
    "  FIXKEEP_SDK_HOST, FIXKEEP_SDK_PORT   where the worker is\n"
    "  FIXKEEP_ROOM_ID, FIXKEEP_SDK_TOKEN   id and token of the room\n"
    "  FIXKEEP_SDK_ALONE_MS                 the relay ends after this time without the worker\n";

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

template <class Number>
std::optional<Number> number(const char* name) {
  const std::string text = variable(name);
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace fixkeep;
  const auto port = number<std::uint16_t>("FIXKEEP_SDK_PORT");
  const auto alone = number<std::uint32_t>("FIXKEEP_SDK_ALONE_MS");
  worker::RelayOptions options{
      .doors = {{worker::usual_rest_port, "rest"}, {worker::usual_grpc_port, "grpc"}},
      .worker_host = variable("FIXKEEP_SDK_HOST"),
      .worker_port = port.value_or(0),
      .room = variable("FIXKEEP_ROOM_ID"),
      .token = variable("FIXKEEP_SDK_TOKEN"),
      .alone = std::chrono::milliseconds{alone.value_or(0)}};
  const bool complete = port && alone && !options.worker_host.empty() && !options.room.empty() &&
                        !options.token.empty();
  if (argc > 1 || !complete) {
    const bool help = argc == 2 && std::string_view{argv[1]} == "--help";
    (help ? std::cout : std::cerr) << usage;
    return help ? 0 : 2;
  }

  process::ignore_signals_of_writes();
  boost::asio::io_context context{1};
  boost::asio::signal_set signals{context, SIGTERM, SIGINT};
  worker::SdkRelay relay{context, std::move(options), [&] { context.stop(); }};
  if (const auto opened = relay.open(); !opened) {
    std::cerr << "fixkeep-sdk-relay: cannot listen at the ports of the SDK: "
              << opened.error().message() << "\n";
    return 1;
  }
  signals.async_wait([&](boost::system::error_code error, int) {
    if (!error) relay.end();
  });
  context.run();
  return 0;
}
