// Streams of ticket news (server-sent events): one for a ticket, or one for all tickets that a
// service has at this master.
//
// An event's id is the ticket's state, and its data is the ticket as GET shows it. A comment goes
// out every `beat`, so that each side notices when the other one is gone. Thread rule: one owner;
// reads no clock. Bounds: `most_of_owner` streams of a service; a newer one replaces the oldest.
// Errors: none.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "common/base/time.hpp"
#include "common/net/http/server.hpp"

namespace fixkeep::master {

inline constexpr Duration stream_beat = std::chrono::seconds{5};

using StreamText = std::shared_ptr<const std::string>;
[[nodiscard]] StreamText event_text(std::string_view id, std::string_view json);
[[nodiscard]] StreamText no_news_text();
// Returns whether the client accepts server-sent events.
[[nodiscard]] bool wants_stream(const net::HttpRequest& request);

class OwnerStreams {
 public:
  static constexpr std::size_t most_of_owner = 4;

  void add(const std::string& owner, net::HttpStream stream, TimePoint now);
  // Returns whether the owner reads a stream here.
  [[nodiscard]] bool has(const std::string& owner) const;
  void send(const std::string& owner, const StreamText& text) const;
  void close_all();
  void tick(TimePoint now);
  [[nodiscard]] TimePoint next_tick() const { return next_beat_; }

 private:
  std::map<std::string, std::deque<net::HttpStream>> streams_;  // by owner, oldest first
  TimePoint next_beat_ = TimePoint::max();                      // max(): there is no stream
};

}  // namespace fixkeep::master
