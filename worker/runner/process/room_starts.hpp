// Gets the keepers of rooms started: a few at a time, by a starter that may have to be replaced.
//
// A room waits in a queue; when its turn comes it is prepared, handed to the starter and on its way
// until its game runs. One whose keeper was never born, since the starter was killed before, is
// handed over again. Nothing here waits for a disk or another process, but for the start of the
// starter itself.
//
// Fault model: the starter is killed, or stops doing anything: then it is killed and replaced. A
// keeper may be born and get no further, since a disk does not answer: then it is killed, so that
// others have its place.
// Thread rule: one io_context, one thread; `ready` and `linked` are called from within add(),
// started() and gone(), `failed` is not. Bounds: those of the queue; `most_attempts` a
// room, so many looks at each. Errors: told to `failed`, in words.
#pragma once

#include <sys/types.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "worker/runner/process/keeper_link.hpp"
#include "worker/runner/process/starter_link.hpp"
#include "worker/runner/start_queue.hpp"

namespace fixkeep::worker {

class RoomStarts {
 public:
  static constexpr int most_attempts = 3;
  // Looks, one a second: what nobody counted, since we had no time either, counts for nothing.
  static constexpr int looks_for_a_birth = 20;
  static constexpr int looks_for_a_game = 60;

  struct Order {
    std::string plan;
    // Open for as long as the room is here.
    int note = -1;  // -1: there is none
    std::vector<int> listeners;
  };
  struct Hooks {
    // The room's turn has come; a text says why it cannot start. Once a room.
    std::function<std::variant<Order, std::string>(RoomNumber room)> prepare;
    std::function<KeeperLink::Handlers(RoomNumber room)> handlers;
    // Replaces an earlier link, whose keeper was never born.
    std::function<void(RoomNumber room, std::shared_ptr<KeeperLink> link)> linked;
    // It is not here any more. `ours`: what starts games failed, not the game.
    std::function<void(RoomNumber room, const std::string& why, bool ours)> failed;
  };
  // `folders`: where the starter's program is looked for. `at_once`: 0: twice the cores.
  RoomStarts(boost::asio::io_context& context, std::vector<std::string> folders,
             std::size_t at_once, Hooks hooks);

  // A starter that is there before the first room saves that room its start. If there can be none,
  // the first room says why.
  void open() { (void)starter_.ready(); }

  void add(RoomNumber room);
  // True: it had not had its turn, and never will; `failed` says so later.
  [[nodiscard]] bool take_out(RoomNumber room);
  void placed(RoomNumber room);   // its keeper can be found by the next run of the worker
  void started(RoomNumber room);  // its game
  // Its link says that there is no keeper. With `again`, and unless there were too many attempts,
  // the room waits for its turn again: true.
  [[nodiscard]] bool gone(RoomNumber room, bool again);

  [[nodiscard]] std::size_t waiting() const { return queue_.waiting(); }
  // Lists the processes that become keepers, and the keepers that it has: the starter first.
  [[nodiscard]] std::vector<pid_t> processes() const;

  // The worker ends without its rooms: waits until all that are here can be found by its next run,
  // or the limit is over. Those that have not come so far never run.
  void leave(std::chrono::milliseconds limit);
  // The worker ends with its rooms: none is born any more.
  void end();

 private:
  struct OnItsWay {
    Order order;
    std::shared_ptr<KeeperLink> link;  // null: not handed over
    int attempts = 0;
    int looks = 0;  // since it was handed over
    bool placed = false;
  };

  void hand_over_next();
  // False: nothing more can be handed over now.
  [[nodiscard]] bool hand_over(RoomNumber room);
  [[nodiscard]] bool try_again(RoomNumber room, boost::system::error_code error);
  void fail(RoomNumber room, const std::string& why, bool ours = true);
  void look_later();
  void look();

  boost::asio::io_context& context_;
  Hooks hooks_;
  StarterLink starter_;
  StartQueue queue_;
  std::map<RoomNumber, OnItsWay> rooms_;  // whose turn has come
  boost::asio::steady_timer timer_;
  bool looks_ = false;
  std::shared_ptr<char> alive_ = std::make_shared<char>();
};

}  // namespace fixkeep::worker
