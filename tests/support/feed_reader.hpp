// A reader of a master's live feed, GET /v1/events as server-sent events.
//
// Thread rule: one thread, which waits for up to ten seconds. Errors: an event without a name.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tests/unit/common/net/http/test_client.hpp"

namespace fixkeep::support {

struct FeedEvent {
  std::string id;
  std::string name;
  nlohmann::json data;
};

// Has read the head when it is made.
class FeedReader {
 public:
  explicit FeedReader(std::uint16_t port, const std::string& last = "") : client_(port) {
    const auto resumed = last.empty() ? "" : "Last-Event-ID: " + last + "\r\n";
    client_.send("GET /v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n" +
                 resumed + "\r\n");
    head_ = client_.read_until("\r\n\r\n");
  }

  // Comments and other lines than those of an event are skipped. After the end: without a name.
  FeedEvent next() {
    while (true) {
      const auto text = client_.read_until("\n\n");
      if (!text.starts_with("id: ")) {
        if (text.empty()) return {};
        continue;
      }
      const auto event_at = text.find("\nevent: ");
      const auto data_at = text.find("\ndata: ");
      return {text.substr(4, event_at - 4), text.substr(event_at + 8, data_at - event_at - 8),
              nlohmann::json::parse(text.substr(data_at + 7), nullptr, false)};
    }
  }
  std::string next_text() { return client_.read_until("\n\n"); }
  void close() { client_.close(); }
  [[nodiscard]] const std::string& head() const { return head_; }

 private:
  net::test::Client client_;
  std::string head_;
};

}  // namespace fixkeep::support
