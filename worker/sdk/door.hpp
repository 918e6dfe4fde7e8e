// SdkDoor listens on one port for the SDK of all rooms that have a relay beside their games
// (relay/relay.hpp). It reads the greeting of each connection and passes the connection on.
//
// Fault model: any client that reaches the port may connect, send nothing or send rubbish. A relay
// sends its greeting immediately. An idle connection is thus rarely a relay. If all places are
// taken, a new connection replaces an idle connection (common/net/link/pending_handshakes.hpp).
// Thread rule: one io_context and one thread; an SdkDoor is destroyed before the io_context.
// Bounds: at most `most` connections may wait for their greeting, each for the time `limit`. Errors
// of open(): the port is taken.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "common/base/result.hpp"
#include "common/process/descriptor.hpp"
#include "worker/sdk/relay/greeting.hpp"

namespace fixkeep::worker {

class SdkDoor {
 public:
  static constexpr std::size_t most = 64;
  static constexpr std::chrono::seconds limit{10};
  static constexpr std::size_t descriptors = most + 1;

  // Receives a connected non-blocking socket after its greeting. Returns an empty text if it
  // accepts the connection. Otherwise returns the reason for the refusal, for the log.
  using Handler = std::function<std::string(const Greeting& greeting, process::Descriptor socket)>;

  [[nodiscard]] static Result<std::unique_ptr<SdkDoor>> open(boost::asio::io_context& context,
                                                             std::uint16_t port, Handler handler);
  ~SdkDoor();
  SdkDoor(const SdkDoor&) = delete;
  SdkDoor& operator=(const SdkDoor&) = delete;

  [[nodiscard]] std::uint16_t port() const;

 private:
  class Impl;
  explicit SdkDoor(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<Impl> impl_;
};

}  // namespace fixkeep::worker
