// GET /v1/events as server-sent events (HTML standard, 9.2): a master's state and its changes.
//
// A reader gets a snapshot, and then a change for each turn with events, at most five per second. A
// change contains all events since the last change. A reader that reconnects names its last event
// ("Last-Event-ID") and gets the missed events. The reader gets a snapshot if that event is too old
// or from another run of this master. The connection (HttpStream) disconnects a slow reader, which
// then reconnects.
//
//   note(), news ──▶ turn ──▶ facts ──▶ second thread: texts ──▶ history, and every reader
//
// Events are collected only while a reader is connected, and for `linger` after that. Without
// readers the feed costs nothing.
//
// Invariants: 1. Only one frame is under construction at a time.
//             2. A reader gets every frame after its snapshot, in order.
// Thread rule: the master's thread. The view desk's thread makes the texts. Bounds: at most
// `readers_most` readers, `history_frames` frames and `history_bytes` bytes of history, and
// `events_a_frame` events per frame. Errors: 503 too-many-readers.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/events/event.hpp"
#include "common/net/http/server.hpp"
#include "master/http/feed/boot_watch.hpp"
#include "master/http/feed/frame.hpp"
#include "master/http/view/desk.hpp"

namespace fixkeep::master {

struct FeedOptions {
  std::chrono::milliseconds pause{200};  // between two frames
  std::chrono::milliseconds keep_alive{15'000};
  std::chrono::milliseconds linger{10'000};
  std::size_t readers_most = 50;
  std::size_t history_frames = 512;
  std::size_t history_bytes = std::size_t{16} << 20U;
  std::size_t events_a_frame = 500;
  std::size_t events_shown = 200;  // events in a snapshot
};

class Feed : public std::enable_shared_from_this<Feed> {
 public:
  // Is called on the master's thread. Returns the state except rooms and events. `facts` and
  // `views` outlive stop().
  using Facts = std::function<FrameFacts()>;

  [[nodiscard]] static std::shared_ptr<Feed> start(boost::asio::io_context& context,
                                                   const FeedIdentity& identity, ViewDesk& views,
                                                   Facts facts, FeedOptions options = {});

  // Adds a reader. `last_event_id`: id of the reader's last event, or empty.
  void read(const net::HttpResponder& responder, std::string_view last_event_id);
  void stop();
  // Replaces the modes. Readers get a snapshot with the new modes.
  void renew(std::vector<Mode> modes);

  // Returns true if events must be recorded, because a reader is or was recently connected.
  [[nodiscard]] bool wanted() const { return wanted_; }
  void note(const DirectoryNews& news, const Directory& directory, TimePoint now);
  void note(events::EventTime at, const events::Happenings& happenings);

 private:
  using Text = std::shared_ptr<const std::string>;
  struct Reader {
    net::HttpStream stream;
    bool has_snapshot = false;
  };
  struct Texts {
    std::string change;
    std::string snapshot;
    bool failed = false;
  };

  Feed(boost::asio::io_context& context, const FeedIdentity& identity, ViewDesk& views, Facts facts,
       FeedOptions options);
  [[nodiscard]] bool catch_up(const net::HttpStream& stream, std::string_view last_event_id);
  void arm(std::chrono::milliseconds pause);
  void turn();
  void make_frame();
  void publish(const Texts& texts);
  void begin_again();
  [[nodiscard]] Text framed(std::string_view event, std::string_view data) const;
  void remember(Text frame);
  void forget();
  void send_to_all(const Text& text);

  FeedOptions options_;
  ViewDesk& views_;
  Facts facts_;
  std::string run_;  // this master's run, part of every event's id
  std::shared_ptr<FrameWriter> writer_;
  FeedIdentity identity_;
  boost::asio::steady_timer timer_;
  std::vector<Reader> readers_;
  std::set<RoomId> rooms_;           // rooms that may have changed since the last frame
  BootWatch boots_;                  // room starts that are watched; only with a reader
  std::vector<std::string> events_;  // events since the last frame
  std::uint64_t missed_ = 0;         // events left out since the last frame
  std::deque<std::string> last_;     // last events, for snapshots
  std::deque<Text> history_;         // recent frames, the last is number_
  std::size_t history_bytes_ = 0;
  std::uint64_t number_ = 0;                         // number of the newest frame
  std::chrono::steady_clock::time_point told_at_{};  // time of the last bytes to readers
  std::chrono::steady_clock::time_point read_at_{};  // last time when a reader was connected
  bool wanted_ = false;
  bool making_ = false;
  bool stopped_ = false;
};

}  // namespace fixkeep::master
