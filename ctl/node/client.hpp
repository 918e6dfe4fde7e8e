// Sends a request to a node over HTTP or HTTPS and waits for the answer.
//
// Each call opens its own connection. Thread rule: one thread; calls block. Bounds: each step
// (connecting, the answer) ends after `timeout`; an answer has at most `answer_bytes`, an event of
// a stream 64 MiB; the bounds of common/net/http/client.hpp. Fault model: the node answers late,
// with any bytes, or not at all. Errors: one sentence.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <variant>

#include "common/net/tls/server_trust.hpp"
#include "ctl/node/url.hpp"

namespace fixkeep::ctl {

struct NodeClientOptions {
  std::string token;                        // bearer token; empty: none is sent
  std::shared_ptr<net::ServerTrust> trust;  // needed for https
  std::chrono::milliseconds timeout{5'000};
  std::size_t answer_bytes = 64U << 20U;
};

struct NodeAnswer {
  unsigned status = 0;
  std::string body;
};

class NodeClient {
 public:
  using Answered = std::variant<NodeAnswer, std::string>;

  NodeClient(NodeUrl url, NodeClientOptions options);

  [[nodiscard]] const NodeUrl& url() const { return url_; }

  [[nodiscard]] Answered get(const std::string& target) const;
  [[nodiscard]] Answered post(const std::string& target, const std::string& body) const;

  // Follows server-sent events, from the event after id `after` if `after` is not empty. Calls
  // `on_event` with each event's id and data until `on_event` returns false or the stream ends.
  // Returns the reason for the end: a sentence, or an answer whose status is not 200. Empty if
  // `on_event` returned false.
  using OnEvent = std::function<bool(const std::string& id, const std::string& data)>;
  [[nodiscard]] Answered follow(const std::string& target, const std::string& after,
                                std::chrono::milliseconds longest_silence,
                                const OnEvent& on_event) const;

 private:
  NodeUrl url_;
  NodeClientOptions options_;
};

}  // namespace fixkeep::ctl
