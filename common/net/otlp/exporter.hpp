// Sends spans to an OpenTelemetry collector: OTLP in JSON over HTTP/1.1.
//
// Spans wait for a second or for a full batch. The spans are sent in one request at a time, on one
// kept connection. If the collector is away or busy (429, 502, 503, 504), the batch is tried again
// a few times with growing pauses, and then dropped. If more than `queue` spans wait, the oldest
// are dropped. The owner never waits. Thread rule: one io_context, one thread. Lifetime: the object
// may be destroyed at any time. Bounds: at most `queue` spans wait beside one batch; a batch has at
// most `attempts` attempts, each within `time_limit`; answers have at most 64 KiB; the other bounds
// are those of common/net/http/client.hpp. Fault model: the collector sends anything or nothing.
// Errors: none; losses are counted and logged.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "common/net/http/url.hpp"
#include "common/obs/span.hpp"

namespace fixkeep::net {

// Reads the URL of a collector, as "http://127.0.0.1:4318/v1/traces". No value: it is malformed, or
// not plain HTTP.
[[nodiscard]] std::optional<HttpUrl> parse_otlp_endpoint(std::string_view text);

struct OtlpOptions {
  HttpUrl endpoint;
  obs::SpanSource source;
  std::size_t queue = 2048;
  std::size_t batch = 512;
  std::chrono::milliseconds batch_every{1000};
  std::chrono::milliseconds time_limit{5000};  // limit of one attempt
  unsigned attempts = 4;
  std::chrono::milliseconds first_pause{1000};  // pause between attempts; doubled each time
};

struct OtlpCounters {
  std::uint64_t exported = 0;
  std::uint64_t dropped_queue_full = 0;
  std::uint64_t dropped_by_collector = 0;  // the collector refused them or did not answer
};

class OtlpExporter {
 public:
  OtlpExporter(boost::asio::io_context& context, OtlpOptions options);
  ~OtlpExporter();
  OtlpExporter(const OtlpExporter&) = delete;
  OtlpExporter& operator=(const OtlpExporter&) = delete;

  void add(obs::Span&& span);
  // Accepts no further spans. Tries to send the waiting spans one more time; gives up after the
  // time `patience`.
  void stop(std::chrono::milliseconds patience);
  [[nodiscard]] const OtlpCounters& counters() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace fixkeep::net
