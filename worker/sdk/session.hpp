// What a game may say to its worker, and what it is told: the Agones SDK, free of any transport.
//
// One session a room; all transports of the room share it, so a player that came through one of
// them is seen through the others. It keeps what the game has said of itself, and passes it on; who
// may come in is the worker's to say.
// Invariant: `players` are those that the worker has admitted and that have not left since.
// Thread rule: one thread, the worker's; a transport that has threads of its own posts to it.
// Bounds: as many players as the worker admits. Errors: none; a transport refuses what no session
// can be told.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "common/base/ids.hpp"

namespace fixkeep::worker {

struct SessionFacts {
  std::string room;     // to_string(RoomId)
  std::string address;  // what players are told
  std::uint16_t port = 0;
  std::uint32_t capacity = 0;  // players
  std::string group;
  std::string mode;
  std::chrono::seconds health_period{5};  // how often a game is to say that it is well
  std::uint32_t health_failures = 3;      // so many periods of silence end it
};

// The worker's side. The session calls them on its thread; they do not call it back from within,
// but for the answer of `connect`.
struct SessionHandlers {
  std::function<void()> ready;
  std::function<void()> health;
  std::function<void()> shutdown;
  // Is answered once, at once or later.
  std::function<void(const PlayerId&, std::function<void(bool admitted)>)> connect;
  std::function<void(const PlayerId&)> disconnect;
};

// A player id as a game may name it; nothing if no player can have it.
[[nodiscard]] std::optional<PlayerId> parse_player(std::string_view text);

class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(SessionFacts facts, SessionHandlers handlers);

  // --- what the game says
  void ready();     // it takes players
  void health();    // it is well; once it has said so it has to go on
  void shutdown();  // it wants to end
  // A player is at the door. `answer` is called once, with true if the worker admits the player,
  // and so again for a player that is in. Not if the room ends before.
  void connect(const PlayerId& player, std::function<void(bool admitted)> answer);
  bool disconnect(const PlayerId& player);  // false: it was not in

  // --- what it is told
  [[nodiscard]] const SessionFacts& facts() const { return facts_; }
  [[nodiscard]] std::string_view state() const { return state_; }  // as Agones calls it
  [[nodiscard]] const std::set<PlayerId>& players() const { return players_; }

 private:
  SessionFacts facts_;
  SessionHandlers handlers_;
  std::set<PlayerId> players_;
  std::string_view state_ = "Scheduled";
};

}  // namespace fixkeep::worker
