#include "worker/sdk/room_sdk.hpp"

#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <utility>

namespace fixkeep::worker {
namespace {

WallTime wall_now() {
  return std::chrono::time_point_cast<WallTime::duration>(std::chrono::system_clock::now());
}

SessionFacts with_creation(SessionFacts facts) {
  if (facts.created == WallTime{}) facts.created = wall_now();
  return facts;
}

}  // namespace

class RoomSdk::ReservationTimer {
 public:
  explicit ReservationTimer(boost::asio::io_context& context) : timer_(context) {}

  void set(std::optional<std::chrono::seconds> after) {
    ++setting_;  // an expiry whose handler has not run yet is ignored
    timer_.cancel();
    if (!after) return;
    timer_.expires_after(*after);
    timer_.async_wait([this, session = session_, setting = setting_](auto error) {
      const auto alive = session.lock();  // the session keeps this timer alive
      if (!error && alive != nullptr && setting == setting_) alive->reservation_ended();
    });
  }
  void rings_for(const std::shared_ptr<Session>& session) { session_ = session; }

 private:
  boost::asio::steady_timer timer_;
  std::weak_ptr<Session> session_;
  std::uint64_t setting_ = 0;
};

RoomSdk::RoomSdk(TransportHost& host, SessionFacts facts, RoomHandlers handlers,
                 RoomListeners listeners, const FromTheRoom& from_the_room)
    : timer_(std::make_shared<ReservationTimer>(host.context)),
      session_(std::make_shared<Session>(
          with_creation(std::move(facts)),
          SessionHandlers{
              .ready = std::move(handlers.ready),
              .health = std::move(handlers.health),
              .shutdown = std::move(handlers.shutdown),
              .connect = std::move(handlers.connect),
              .disconnect = std::move(handlers.disconnect),
              .newcomers = std::move(handlers.newcomers),
              .wants = std::move(handlers.wants),
              .result = std::move(handlers.result),
              .now = wall_now,
              .changed = std::move(handlers.changed),
              .end_reservation_after = [timer = timer_](auto after) { timer->set(after); }})),
      transports_(start_transports(host, session_, std::move(listeners), from_the_room)) {
  timer_->rings_for(session_);
}

RoomSdk::~RoomSdk() = default;

void RoomSdk::listen(RoomListeners listeners) {
  for (std::size_t i = 0; i < transports_.size(); ++i) {
    transports_[i]->listen(std::move(listeners.at(i).sockets));
  }
}

bool RoomSdk::serve(std::string_view transport, process::Descriptor connection) {
  for (std::size_t i = 0; i < transports_.size(); ++i) {
    if (transport_kinds.at(i).name != transport) continue;
    transports_[i]->serve(std::move(connection));
    return true;
  }
  return false;
}

std::map<std::string, std::string> RoomSdk::variables() const {
  return variables_of(transports_);
}

}  // namespace fixkeep::worker
