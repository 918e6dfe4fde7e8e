// An Engine runs games as objects of its own: containers, pods. It is a table of calls, and a
// watch.
//
// EngineRunner (engine_runner.hpp) makes a GameRunner of it: it has the rooms, and the life of each
// object (object_life.hpp). A new engine is a folder with a class of this interface.
//
// Contract: 1. `ask` answers each call once, also a lost one, never from within the call; none
// after
//              close().
//           2. the news tell every object of this worker, also those of its earlier runs. They may
//              be late or come twice. An object that is not in a list may have been made since.
//           3. open() and remove_and_wait() may block for seconds, and nothing else does.
// Fault model: as ObjectLife. Thread rule: one thread, that of the io_context. Bounds: a limit for
// each call. Errors: in words.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "worker/runner/engine/object_life.hpp"
#include "worker/runner/engine/sight.hpp"
#include "worker/runner/game_runner.hpp"

namespace fixkeep::worker::engine {

// The game of a room and its object. An engine derives it to add its order.
struct Object {
  Object(boost::asio::io_context& context, Launch with, GameRunner::Handlers to,
         ObjectTraits traits)
      : launch(std::move(with)),
        handlers(std::move(to)),
        name(traits.name),
        life(std::move(traits)),
        timer(context),
        is_followed(launch.follow) {}
  virtual ~Object() = default;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  Launch launch;
  GameRunner::Handlers handlers;
  std::string name;  // at the engine; empty: it has none there
  ObjectLife life;
  boost::asio::steady_timer timer;
  std::optional<ObjectLife::Timer> rings{};  // as the timer is set
  bool is_followed = false;
  bool is_streamed = false;     // its output is coming
  bool waits_for_node = false;  // as the log was told
};
using ObjectPtr = std::shared_ptr<Object>;

struct Shown {
  std::string name;
  Sight sight;
};

class Engine {
 public:
  struct News {
    std::function<void(const std::vector<Shown>& all)> listed;
    std::function<void(const Shown& object)> shown;
    std::function<void(const Shown& object)> appeared;  // it is new; counts for a stranger only
    std::function<void(const Shown& object)> ended;     // or is gone; never counts for a stranger
    std::function<void(const std::string& why)> away;   // called once, until it is back
    std::function<void()> back;
    std::function<void()> changed;  // places or readiness
  };
  struct Traits {
    std::string object = "container";  // in sentences
    bool wants_ports = false;
    bool is_elsewhere = false;
    bool relays_sdk = false;
    LocalRooms* local = nullptr;
    std::size_t starts_at_once = 1;
  };
  // Whether an object can be made now.
  struct Readiness {
    bool is_coming = false;  // not yet; News::changed tells when
    std::string problem{};   // never: the game's fault
  };

  Engine() = default;
  virtual ~Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  [[nodiscard]] virtual Traits traits() = 0;
  // Finds the objects of earlier runs and begins to watch. Returns why it cannot; empty: it has.
  [[nodiscard]] virtual std::string open(News news) = 0;
  // The names of the objects of earlier runs, as far as the engine knows them now.
  [[nodiscard]] virtual std::vector<std::string> earlier() = 0;
  virtual void close() = 0;  // no more answers and news

  // An object for a launch; with `end`, it has none, and the game has ended so.
  struct Order {
    ObjectPtr object;
    std::optional<GameEnd> end{};
  };
  [[nodiscard]] virtual Order order(const Launch& launch, GameRunner::Handlers handlers) = 0;
  // The same for the object of an earlier run.
  [[nodiscard]] virtual Order adopt(const Launch& launch, GameRunner::Handlers handlers) = 0;
  [[nodiscard]] virtual Readiness readiness(const Object&) const { return {}; }
  virtual void gone(const Object&) {}

  virtual void ask(const ObjectPtr& object, const Call& call,
                   std::function<void(const Answer& answer)> done) = 0;
  // Tells a game's output; `piece` says whether it wants more, `done` comes once.
  virtual void stream(const ObjectPtr& object, std::function<bool(const std::string& piece)> piece,
                      std::function<void()> done) = 0;
  virtual void remove_stray(const Shown& object) = 0;
  // Returns how many are left. May be called after close(). With `more_may_come`, objects of these
  // names may still be made.
  [[nodiscard]] virtual std::size_t remove_and_wait(const std::vector<std::string>& names,
                                                    bool more_may_come) = 0;

  // These are as those of GameRunner.
  [[nodiscard]] virtual std::optional<std::uint32_t> places() const { return std::nullopt; }
  [[nodiscard]] virtual std::string problem() const = 0;  // it is away, or forbids; empty: neither
};

}  // namespace fixkeep::worker::engine
