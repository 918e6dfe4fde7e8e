// The SDK of one room while it runs: its session with a timer and all its transports. Thread rule:
// one io_context and one thread; a RoomSdk is destroyed before its host. Bounds: see the members.
// Errors: none after the constructor.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "common/base/result_answer.hpp"
#include "worker/sdk/session.hpp"
#include "worker/sdk/transports.hpp"

namespace fixkeep::worker {

// The room's events for the worker. RoomSdk itself provides the rest of SessionHandlers.
struct RoomHandlers {
  std::function<void()> ready;
  std::function<void()> health;
  std::function<void()> shutdown;
  std::function<void(const PlayerId&, std::function<void(bool admitted)>)> connect;
  std::function<void(const PlayerId&)> disconnect;
  std::function<void(NewcomersWord)> newcomers;
  std::function<void(Wants)> wants;
  std::function<void(const std::string&, std::function<void(ResultAnswer)>)> result;
  std::function<void()> changed;
};

class RoomSdk {
 public:
  // `facts.created`: the present time if unset.
  RoomSdk(TransportHost& host, SessionFacts facts, RoomHandlers handlers, RoomListeners listeners,
          const FromTheRoom& from_the_room);
  ~RoomSdk();
  RoomSdk(const RoomSdk&) = delete;
  RoomSdk& operator=(const RoomSdk&) = delete;

  [[nodiscard]] Session& session() { return *session_; }
  // Also accepts connections at these sockets. Call it when the room's own network exists.
  void listen(RoomListeners listeners);
  // Serves a connection from a relay beside the game. Returns false if the transport does not
  // exist.
  [[nodiscard]] bool serve(std::string_view transport, process::Descriptor connection);
  // Returns the variables for the game's environment.
  [[nodiscard]] std::map<std::string, std::string> variables() const;

 private:
  class ReservationTimer;
  std::shared_ptr<ReservationTimer> timer_;
  std::shared_ptr<Session> session_;
  Transports transports_;
};

}  // namespace fixkeep::worker
