// Posts signed events to a service: JSON over HTTP/1.1, with or without TLS.
//
// Each event is posted until the service answers 2xx, one at a time, on one kept connection. Each
// failed event has a pause of its own, which doubles, so it delays no other event. Failed events
// are tried again when no new event waits; while they fail, only one in each `first_pause`. If the
// service gives no answer at all, no event is posted for a pause that doubles, too.
//
// If the waiting events exceed `queue_bytes`, the oldest is dropped, first of the failed events.
// The service may get an event twice, because an answer can be lost. Both posts have the same id in
// the body, so the service counts each id once.
//
// The header Fixkeep-Signature is "t=SECONDS,v1=HEX": HEX is the HMAC-SHA256 of "SECONDS.BODY" with
// the secret, in lowercase hexadecimal. SECONDS is the Unix time of the attempt.
//
// The owner never waits. Thread rule: one io_context, one thread. Lifetime: the object may be
// destroyed at any time; waiting events are then lost. Bounds: `queue_bytes` and one event; an
// attempt ends within `time_limit`; the other bounds are those of common/net/http/client.hpp. Fault
// model: the service sends anything or nothing. Errors: none; losses are counted and logged.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "common/net/http/url.hpp"
#include "common/net/tls/server_trust.hpp"

namespace fixkeep::net {

struct WebhookOptions {
  HttpUrl url;
  std::shared_ptr<ServerTrust> trust;  // null if the URL is plain
  std::string secret;
  std::size_t queue_bytes = std::size_t{16} << 20U;
  std::chrono::milliseconds time_limit{10'000};  // limit of one attempt
  std::chrono::milliseconds first_pause{1'000};  // after a failure; doubled each time
  std::chrono::milliseconds longest_pause{60'000};
};

struct WebhookCounters {
  std::uint64_t delivered = 0;
  std::uint64_t dropped = 0;   // the queue was full
  std::uint64_t failures = 0;  // attempts without an answer 2xx
  std::size_t waiting = 0;
};

// Returns the value of the header.
[[nodiscard]] std::string webhook_signature(std::string_view secret, std::chrono::seconds at,
                                            std::string_view body);

class Webhook {
 public:
  Webhook(boost::asio::io_context& context, WebhookOptions options);
  ~Webhook();
  Webhook(const Webhook&) = delete;
  Webhook& operator=(const Webhook&) = delete;

  void add(std::string body);
  // Posts the new events for at most this time, and then ends. Drops the failed events.
  void stop(std::chrono::milliseconds more);
  [[nodiscard]] WebhookCounters counters() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace fixkeep::net
