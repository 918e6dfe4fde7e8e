// Sends spans to a collector of OpenTelemetry: OTLP over HTTP/1.1, in JSON.
//
// Spans wait until a second has passed or a batch is full, and leave in one request at a time, on
// one connection that is kept. A collector that is away or busy (429, 502, 503, 504) is tried again
// a few times with growing pauses; a batch that it does not take then is lost, and so are the
// oldest spans while more than `queue` wait. Both are counted. Nothing of it makes its owner wait.
// Thread rule: one io_context, one thread. Lifetime: the object may go at any time.
// Bounds: `queue` spans and one batch, `attempts` of `time_limit` each; of an answer 64 KiB and
// what common/net/http/client.hpp allows. Fault model: the collector says anything, or nothing.
// Errors: none; what is lost is counted and logged.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/obs/span.hpp"

namespace fixkeep::net {

struct OtlpEndpoint {
  std::string host;  // a name or an address, one of IPv6 without its brackets
  std::uint16_t port = 0;
  std::string path;

  friend bool operator==(const OtlpEndpoint&, const OtlpEndpoint&) = default;
};

// "http://127.0.0.1:4318/v1/traces": all of it must be there. Nothing: it is none.
[[nodiscard]] std::optional<OtlpEndpoint> parse_otlp_endpoint(std::string_view text);

struct OtlpOptions {
  OtlpEndpoint endpoint;
  obs::SpanSource source;
  std::size_t queue = 2048;
  std::size_t batch = 512;
  std::chrono::milliseconds batch_every{1000};
  std::chrono::milliseconds time_limit{5000};  // of one try
  unsigned attempts = 4;
  std::chrono::milliseconds first_pause{1000};  // between tries; each later one is twice as long
};

struct OtlpCounters {
  std::uint64_t exported = 0;
  std::uint64_t dropped_queue_full = 0;
  std::uint64_t dropped_by_collector = 0;  // it refused them, or did not answer
};

class OtlpExporter {
 public:
  OtlpExporter(boost::asio::io_context& context, OtlpOptions options);
  ~OtlpExporter();
  OtlpExporter(const OtlpExporter&) = delete;
  OtlpExporter& operator=(const OtlpExporter&) = delete;

  void add(obs::Span&& span);
  // Spans that wait are sent once more, within `patience`; nothing is taken any more.
  void stop(std::chrono::milliseconds patience);
  [[nodiscard]] const OtlpCounters& counters() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace fixkeep::net
