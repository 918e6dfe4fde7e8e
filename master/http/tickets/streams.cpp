#include "master/http/tickets/streams.hpp"

#include <algorithm>
#include <utility>

namespace fixkeep::master {

StreamText event_text(std::string_view id, std::string_view json) {
  std::string text{"id: "};
  text.append(id).append("\ndata: ").append(json).append("\n\n");
  return std::make_shared<const std::string>(std::move(text));
}

StreamText no_news_text() {
  static const StreamText comment = std::make_shared<const std::string>(": nothing new\n\n");
  return comment;
}

bool wants_stream(const net::HttpRequest& request) {
  if (request.method() != net::http::verb::get) return false;
  const auto accepted = request[net::http::field::accept];
  return accepted.find("text/event-stream") != boost::core::string_view::npos;
}

void OwnerStreams::add(const std::string& owner, net::HttpStream stream, TimePoint now) {
  auto& streams = streams_[owner];
  std::erase_if(streams, [](const auto& stream) { return !stream.is_open(); });
  if (streams.size() == most_of_owner) {
    streams.front().close();
    streams.pop_front();
  }
  streams.push_back(std::move(stream));
  next_beat_ = std::min(next_beat_, now + stream_beat);
}

bool OwnerStreams::has(const std::string& owner) const {
  const auto at = streams_.find(owner);
  return at != streams_.end() && std::ranges::any_of(at->second, &net::HttpStream::is_open);
}

void OwnerStreams::send(const std::string& owner, const StreamText& text) const {
  const auto at = streams_.find(owner);
  if (at == streams_.end()) return;
  for (const net::HttpStream& stream : at->second) (void)stream.send(text);
}

void OwnerStreams::close_all() {
  for (const auto& [owner, streams] : streams_) {
    for (const net::HttpStream& stream : streams) stream.close();
  }
  streams_.clear();
  next_beat_ = TimePoint::max();
}

void OwnerStreams::tick(TimePoint now) {
  if (now < next_beat_) return;
  for (auto& [owner, streams] : streams_) {
    std::erase_if(streams, [](const auto& stream) { return !stream.send(no_news_text()); });
  }
  std::erase_if(streams_, [](const auto& entry) { return entry.second.empty(); });
  next_beat_ = streams_.empty() ? TimePoint::max() : now + stream_beat;
}

}  // namespace fixkeep::master
