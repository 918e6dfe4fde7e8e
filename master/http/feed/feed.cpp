#include "master/http/feed/feed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "common/events/event_json.hpp"
#include "master/http/problem_member.hpp"

namespace fixkeep::master {
namespace {

using std::chrono::steady_clock;

// Returns the number in "RUN.NUMBER"; null for another run or an invalid id.
std::optional<std::uint64_t> number_in(std::string_view id, std::string_view run) {
  if (!id.starts_with(run) || id.size() <= run.size() + 1 || id[run.size()] != '.') return {};
  id.remove_prefix(run.size() + 1);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
  if (error != std::errc{} || end != id.data() + id.size()) return {};
  return number;
}

}  // namespace

std::shared_ptr<Feed> Feed::start(boost::asio::io_context& context, const FeedIdentity& identity,
                                  ViewDesk& views, Facts facts, FeedOptions options) {
  return std::shared_ptr<Feed>{new Feed{context, identity, views, std::move(facts), options}};
}

Feed::Feed(boost::asio::io_context& context, const FeedIdentity& identity, ViewDesk& views,
           Facts facts, FeedOptions options)
    : options_(options),
      views_(views),
      facts_(std::move(facts)),
      run_(fmt::format("{:x}", steady_clock::now().time_since_epoch().count())),
      identity_(identity),
      timer_(context) {}

void Feed::read(const net::HttpResponder& responder, std::string_view last_event_id) {
  std::erase_if(readers_, [](const Reader& reader) { return !reader.stream.is_open(); });
  if (readers_.size() >= options_.readers_most) {
    return responder.answer(
        retry_in(5, net::problem(503, "too-many-readers", "Too many read the events of this master",
                                 "close some of them, or ask another master")));
  }
  auto stream = responder.stream("text/event-stream");
  if (!stream) return;
  static const Text retry = std::make_shared<const std::string>("retry: 1000\n\n");
  (void)stream->send(retry);
  readers_.push_back({*stream, catch_up(*stream, last_event_id)});
  read_at_ = steady_clock::now();
  if (!std::exchange(wanted_, true)) {
    writer_ = std::make_shared<FrameWriter>(identity_);
    arm(std::chrono::milliseconds{0});
  }
}

bool Feed::catch_up(const net::HttpStream& stream, std::string_view last_event_id) {
  const auto number = wanted_ ? number_in(last_event_id, run_) : std::nullopt;
  if (!number || *number > number_ || number_ - *number > history_.size()) return false;
  const auto missed = static_cast<std::size_t>(number_ - *number);
  for (std::size_t i = history_.size() - missed; i < history_.size(); ++i) {
    (void)stream.send(history_[i]);
  }
  return true;
}

void Feed::renew(std::vector<Mode> modes) {
  identity_.modes = std::move(modes);
  if (wanted_) begin_again();
}

void Feed::stop() {
  stopped_ = true;
  timer_.cancel();
  for (const Reader& reader : readers_) reader.stream.close();
  readers_.clear();
  wanted_ = false;
}

void Feed::note(const DirectoryNews& news, const Directory& directory, TimePoint now) {
  if (!wanted_) return;
  rooms_.insert(news.rooms.begin(), news.rooms.end());
  boots_.note(news, directory, now);
}

void Feed::note(events::EventTime at, const events::Happenings& happenings) {
  if (!wanted_) return;
  for (const auto& what : happenings) {
    if (events_.size() >= options_.events_a_frame) {
      ++missed_;
      continue;
    }
    events_.push_back(events::to_json_line(at, what));
  }
}

void Feed::arm(std::chrono::milliseconds pause) {
  timer_.expires_after(pause);
  timer_.async_wait([self = shared_from_this()](boost::system::error_code) {
    if (!self->stopped_) self->turn();
  });
}

void Feed::turn() {
  std::erase_if(readers_, [](const Reader& reader) { return !reader.stream.is_open(); });
  const auto now = steady_clock::now();
  if (!readers_.empty()) {
    read_at_ = now;
  } else if (now - read_at_ >= options_.linger) {
    return forget();
  }
  if (now - told_at_ >= options_.keep_alive) {
    static const Text comment = std::make_shared<const std::string>(": nothing new\n\n");
    send_to_all(comment);
  }
  if (!making_) make_frame();
  arm(options_.pause);
}

// Drops the history, because there is no reader. A reader that reconnects later gets a snapshot.
void Feed::forget() {
  wanted_ = false;
  writer_.reset();
  rooms_.clear();
  boots_ = {};
  events_.clear();
  missed_ = 0;
  last_.clear();
  history_.clear();
  history_bytes_ = 0;
  ++number_;
}

void Feed::make_frame() {
  making_ = true;
  auto facts = std::make_shared<FrameFacts>(facts_());
  facts->rooms = std::exchange(rooms_, {});
  facts->boot_times = boots_.times();
  facts->events = std::exchange(events_, {});
  facts->missed = std::exchange(missed_, 0);
  for (const auto& event : facts->events) {
    last_.push_back(event);
    if (last_.size() > options_.events_shown) last_.pop_front();
  }
  std::optional<std::vector<std::string>> shown;  // null: no snapshot is needed
  const auto needs_snapshot = [](const Reader& reader) { return !reader.has_snapshot; };
  if (std::any_of(readers_.begin(), readers_.end(), needs_snapshot)) {
    shown.emplace(last_.begin(), last_.end());
  }
  const auto texts = std::make_shared<Texts>();
  views_.look(
      "feed",
      [writer = writer_, facts, shown = std::move(shown), texts](const DirectoryView& view) {
        auto change = writer->change(view, *facts);
        texts->failed = !change;
        if (change) texts->change = std::move(*change);
        if (change && shown) {
          auto snapshot = writer->snapshot(view, *facts, *shown);
          if (snapshot) texts->snapshot = std::move(*snapshot);
        }
        return net::HttpAnswer{};
      },
      [self = shared_from_this(), texts](const net::HttpAnswer& answer) {
        self->making_ = false;
        if (self->stopped_ || !self->wanted_) return;
        if (answer.status == 200 && !texts->failed) return self->publish(*texts);
        self->begin_again();
      });
}

void Feed::publish(const Texts& texts) {
  if (!texts.change.empty()) {
    ++number_;
    const auto frame = framed("change", texts.change);
    remember(frame);
    for (const Reader& reader : readers_) {
      if (reader.has_snapshot) (void)reader.stream.send(frame);
    }
    told_at_ = steady_clock::now();
  }
  if (texts.snapshot.empty()) return;
  const auto snapshot = framed("snapshot", texts.snapshot);
  for (Reader& reader : readers_) {
    if (std::exchange(reader.has_snapshot, true)) continue;
    (void)reader.stream.send(snapshot);
  }
}

// Every reader gets a new snapshot, because the modes have changed, or because the view was busy
// and a frame's news is lost.
void Feed::begin_again() {
  writer_ = std::make_shared<FrameWriter>(identity_);
  history_.clear();
  history_bytes_ = 0;
  ++number_;
  for (Reader& reader : readers_) reader.has_snapshot = false;
}

Feed::Text Feed::framed(std::string_view event, std::string_view data) const {
  return std::make_shared<const std::string>(
      fmt::format("id: {}.{}\nevent: {}\ndata: {}\n\n", run_, number_, event, data));
}

void Feed::remember(Text frame) {
  history_bytes_ += frame->size();
  history_.push_back(std::move(frame));
  while (history_.size() > options_.history_frames || history_bytes_ > options_.history_bytes) {
    history_bytes_ -= history_.front()->size();
    history_.pop_front();
  }
}

void Feed::send_to_all(const Text& text) {
  for (const Reader& reader : readers_) (void)reader.stream.send(text);
  told_at_ = steady_clock::now();
}

}  // namespace fixkeep::master
