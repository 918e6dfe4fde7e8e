// Gets the keepers of rooms started a few at a time by a starter that may have to be replaced.
//
// A room waits in a queue. When its turn comes it is prepared, handed to the starter and on its way
// until its game runs. A room is handed over again if its keeper was never born because the starter
// was killed. Nothing here waits for a disk or another process except for the start of the starter
// itself.
//
// Fault model: the starter is killed or hangs. A hanging starter is killed and replaced. A keeper
// may be born and get no further if a disk does not answer: then it is killed and others have its
// place. Thread rule: one io_context and one thread. `ready` and `linked` are called from within
// add(), started() and gone(). `failed` is not. Bounds: see the queue; `most_attempts` a room and a
// limit of looks at each. Errors: told in words to `failed`.
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
  // Looks come once a second. A second in which we had no processor time does not count.
  static constexpr int looks_for_a_birth = 20;
  static constexpr int looks_for_a_game = 60;

  struct Order {
    std::string plan;
    // Descriptors stay open for as long as the room is here.
    int note = -1;  // -1: no note
    std::vector<int> listeners;
  };
  struct Hooks {
    // The room's turn has come; a text says why it cannot start. Called once a room.
    std::function<std::variant<Order, std::string>(RoomNumber room)> prepare;
    std::function<KeeperLink::Handlers(RoomNumber room)> handlers;
    // Replaces an earlier link: its keeper was never born.
    std::function<void(RoomNumber room, std::shared_ptr<KeeperLink> link)> linked;
    // The room is no longer here. `ours`: the starting of games failed and not the game.
    std::function<void(RoomNumber room, const std::string& why, bool ours)> failed;
  };
  // `folders`: search path of the starter's program. `at_once`: 0: twice the cores.
  RoomStarts(boost::asio::io_context& context, std::vector<std::string> folders,
             std::size_t at_once, Hooks hooks);

  // A starter that exists before the first room saves time. If that cannot be, the first room says
  // why.
  void open() { (void)starter_.ready(); }

  void add(RoomNumber room);
  // True: its turn had not come and never will. `failed` says so later.
  [[nodiscard]] bool take_out(RoomNumber room);
  void placed(RoomNumber room);   // the next run of the worker can find its keeper
  void started(RoomNumber room);  // its game has started
  // Its link says that there is no keeper. True: with `again` the room waits for its turn again
  // unless there were too many attempts.
  [[nodiscard]] bool gone(RoomNumber room, bool again);

  [[nodiscard]] std::size_t waiting() const { return queue_.waiting(); }
  // Lists the processes that become keepers and its keepers: the starter first.
  [[nodiscard]] std::vector<pid_t> processes() const;

  // The worker ends without its rooms: waits until its next run can find all that are here or the
  // limit is over. The others never run.
  void leave(std::chrono::milliseconds limit);
  // The worker ends with its rooms: no keeper is born any more.
  void end();

 private:
  struct OnItsWay {
    Order order;
    std::shared_ptr<KeeperLink> link;  // null: not handed over
    int attempts = 0;
    int looks = 0;  // looks since it was handed over
    bool placed = false;
  };

  void hand_over_next();
  // False: no more can be handed over now.
  [[nodiscard]] bool hand_over(RoomNumber room);
  [[nodiscard]] bool try_again(RoomNumber room, boost::system::error_code error);
  void fail(RoomNumber room, const std::string& why, bool ours = true);
  void look_later();
  void look();

  boost::asio::io_context& context_;
  Hooks hooks_;
  StarterLink starter_;
  StartQueue queue_;
  std::map<RoomNumber, OnItsWay> rooms_;  // rooms whose turn has come
  boost::asio::steady_timer timer_;
  bool looks_ = false;
  std::shared_ptr<char> alive_ = std::make_shared<char>();
};

}  // namespace fixkeep::worker
