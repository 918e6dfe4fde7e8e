// The SDK of one room while it runs: its session, the timer that the session asks for, and every
// transport that leads to it.
// Thread rule: one io_context, one thread; it is destroyed before its host. Bounds: those of the
// parts. Errors: none once it is made.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "worker/sdk/session.hpp"
#include "worker/sdk/transports.hpp"

namespace fixkeep::worker {

// The worker hears this of a room; the rest of SessionHandlers is RoomSdk's.
struct RoomHandlers {
  std::function<void()> ready;
  std::function<void()> health;
  std::function<void()> shutdown;
  std::function<void(const PlayerId&, std::function<void(bool admitted)>)> connect;
  std::function<void(const PlayerId&)> disconnect;
  std::function<void()> changed;
};

class RoomSdk {
 public:
  // `facts.created` is the present time if it is not given.
  RoomSdk(TransportHost& host, SessionFacts facts, RoomHandlers handlers, RoomListeners listeners,
          const FromTheRoom& from_the_room);
  ~RoomSdk();
  RoomSdk(const RoomSdk&) = delete;
  RoomSdk& operator=(const RoomSdk&) = delete;

  [[nodiscard]] Session& session() { return *session_; }
  // The sockets listen where `listeners` were to: those that a room of its own network has got now.
  void listen(RoomListeners listeners);
  // Serves a connection that a relay beside the game has brought. False: there is no such
  // transport.
  [[nodiscard]] bool serve(std::string_view transport, process::Descriptor connection);
  // For the game's environment.
  [[nodiscard]] std::map<std::string, std::string> variables() const;

 private:
  class ReservationTimer;
  std::shared_ptr<ReservationTimer> timer_;
  std::shared_ptr<Session> session_;
  Transports transports_;
};

}  // namespace fixkeep::worker
