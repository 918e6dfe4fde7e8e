// Starts the keepers of rooms, a few at a time, through a starter process.
//
// A room waits in a queue. When its turn comes, the room is prepared and handed to the starter. The
// room is then on its way until its game runs. If the starter is killed before the room's keeper is
// born, the room is handed over again. The calls of this class wait only for the start of a
// starter, and never for a disk or another process.
//
// Fault model: the starter is killed or hangs. A hanging starter is killed and replaced. A keeper
// may be born and then wait for a disk that does not answer: the keeper is killed, and the next
// room gets its place. Thread rule: one io_context and one thread. add(), started() and gone() may
// call `prepare`, `handlers` and `linked` themselves. They never call `failed`. Bounds: see the
// queue; each room has `most_attempts` attempts and a limited number of looks. Errors: reported in
// words to `failed`.
#pragma once

#include <sys/types.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
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
  // A keeper must be born within this number of looks. There is one look a second. A second in
  // which the worker gets no processor time does not count.
  static constexpr int looks_for_a_birth = 20;
  static constexpr int looks_for_a_game = 60;

  struct Order {
    std::string plan;
    // The caller keeps these descriptors open until the room has left RoomStarts.
    int note = -1;  // -1: no note
    std::vector<int> listeners;
  };
  struct Hooks {
    // Called once for each room when its turn has come. A returned text says why the room cannot
    // start.
    std::function<std::variant<Order, std::string>(RoomNumber room)> prepare;
    std::function<KeeperLink::Handlers(RoomNumber room)> handlers;
    // The new link replaces an earlier link, whose keeper was never born.
    std::function<void(RoomNumber room, std::shared_ptr<KeeperLink> link)> linked;
    // The room cannot start, and has left RoomStarts. `ours`: the worker can start no game at all,
    // so this game is not the cause.
    std::function<void(RoomNumber room, const std::string& why, bool ours)> failed;
  };
  // `folders` is the search path of the starter's program. `at_once` 0 means twice the cores.
  RoomStarts(boost::asio::io_context& context, std::vector<std::string> folders,
             std::size_t at_once, Hooks hooks);

  // Starts a starter before the first room needs it, to save time. If the starter cannot start, the
  // first room fails with the reason.
  void open() { (void)starter_.ready(); }

  void add(RoomNumber room);
  // Takes the room out of the queue. Returns true if the room was waiting for its turn. In this
  // case, `failed` is called later.
  [[nodiscard]] bool take_out(RoomNumber room);
  void placed(RoomNumber room);  // the next run of the worker can find its keeper
  void started(RoomNumber room);
  // Call it when the keeper of a link has ended or was never born. If `again` is true, the room
  // waits for its turn again, unless it had too many attempts. Returns whether the room waits.
  [[nodiscard]] bool gone(RoomNumber room, bool again);

  [[nodiscard]] std::size_t waiting() const { return queue_.waiting(); }
  // Lists the starter first, then the starter's children, which are or become keepers.
  [[nodiscard]] std::vector<pid_t> processes() const;

  // For a worker that leaves its rooms running. Waits, at most for `limit`, until the next run can
  // find all rooms in RoomStarts. A room that the next run cannot find after the limit never runs.
  void leave(std::chrono::milliseconds limit);
  // For a worker that ends its rooms: no keeper is born after this call.
  void end();

 private:
  struct OnItsWay {
    Order order;
    std::shared_ptr<KeeperLink> link;  // null: not handed over
    int attempts = 0;
    int looks = 0;  // looks since the room was handed over
    bool placed = false;
  };

  void hand_over_next();
  // Returns false if no more rooms can be handed over now.
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
