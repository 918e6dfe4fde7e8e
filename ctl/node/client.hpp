// Asks one node over HTTP or HTTPS and waits for its answer.
//
// One connection for each call. Thread rule: one thread. It waits. Bounds: `timeout` for each step
// (connecting, the answer); `answer_bytes` of an answer; 64 MiB of one event of a stream; the
// bounds of common/net/http/client.hpp. Fault model: the node answers late or anything or not at
// all. Errors: one sentence.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "common/net/tls/server_trust.hpp"
#include "ctl/node/url.hpp"

namespace fixkeep::ctl {

struct NodeClientOptions {
  std::string token;                        // empty: not sent
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

  // Follows server-sent events after the one with the id `after` if that is not empty. `on_event`
  // gets the id and data of each until it returns false or the stream ends. Returns why it ended:
  // an answer other than 200 or a sentence; empty: `on_event` had enough.
  using OnEvent = std::function<bool(const std::string& id, const std::string& data)>;
  [[nodiscard]] Answered follow(const std::string& target, const std::string& after,
                                std::chrono::milliseconds longest_silence,
                                const OnEvent& on_event) const;

 private:
  NodeUrl url_;
  NodeClientOptions options_;
};

}  // namespace fixkeep::ctl
