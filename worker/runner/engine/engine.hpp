// An Engine runs games as objects that it manages: containers, pods or rooms of a service. The
// interface consists of one function for all calls (`ask`) and of reports about objects (`News`).
//
// EngineRunner (engine_runner.hpp) turns an engine into a GameRunner. The runner keeps the rooms
// and the life of each object (object_life.hpp). A new engine is a folder with a class of this
// interface.
//
// Contract: 1. `ask` calls `done` exactly one time for each call, even if the answer is lost.
//              `done` is never called from within `ask`, and never after close().
//           2. `News` reports every object of this worker, also the objects of its earlier runs. A
//              report may be late or come twice. A list may lack an object that was made after the
//              list.
//           3. open() and remove_and_wait() may block for seconds. No other function blocks.
// Fault model: see ObjectLife. Thread rule: one thread, that of the io_context. Bounds: each call
// has a time limit. Errors: described in words.
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

// The game of a room and its object. An engine derives its own type from Object to add its data.
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
  std::string name;  // name in the engine; empty: the engine has no such object
  ObjectLife life;
  boost::asio::steady_timer timer;
  std::optional<ObjectLife::Timer> rings{};  // the timer that is set
  bool is_followed = false;
  bool is_streamed = false;     // the game's output is being read
  bool waits_for_node = false;  // the log has a warning that no node has room
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
    // The runner ignores this call for objects that it knows.
    std::function<void(const Shown& object)> appeared;
    std::function<void(const Shown& object)> ended;    // ended or gone; only for known objects
    std::function<void(const std::string& why)> away;  // called once per outage
    std::function<void()> back;
    std::function<void()> changed;  // places() or readiness() may have changed
  };
  struct Traits {
    std::string object = "container";  // the word for an object in messages
    bool wants_ports = false;
    bool is_elsewhere = false;
    bool relays_sdk = false;
    bool has_output = true;  // the engine shows games' output; the worker keeps notes about games
    LocalRooms* local = nullptr;
    std::size_t starts_at_once = 1;
  };
  // Says whether an object can be made now.
  struct Readiness {
    bool is_coming = false;  // the object cannot be made yet; News::changed follows
    std::string problem{};   // why the object can never be made; the game is at fault
  };

  Engine() = default;
  virtual ~Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  [[nodiscard]] virtual Traits traits() = 0;
  // Finds the objects of earlier runs and begins to watch. Returns the error; empty: none.
  [[nodiscard]] virtual std::string open(News news) = 0;
  // Returns the names of the objects of earlier runs, as far as the engine knows them now. If the
  // engine itself removes the objects that were not adopted, returns no names.
  [[nodiscard]] virtual std::vector<std::string> earlier() = 0;
  virtual void close() = 0;  // no answer and no news follow

  // The object of a launch. If `end` is set, the engine makes no object: the game has already
  // ended, and `end` is its end.
  struct Order {
    ObjectPtr object;
    std::optional<GameEnd> end{};
  };
  [[nodiscard]] virtual Order order(const Launch& launch, GameRunner::Handlers handlers) = 0;
  // Returns the object that an earlier run has made for this launch.
  [[nodiscard]] virtual Order adopt(const Launch& launch, GameRunner::Handlers handlers) = 0;
  [[nodiscard]] virtual Readiness readiness(const Object&) const { return {}; }
  virtual void gone(const Object&) {}
  // The game is unwanted from now on. Called also while a call for the object is under way.
  virtual void unwanted(const Object&) {}

  virtual void ask(const ObjectPtr& object, const Call& call,
                   std::function<void(const Answer& answer)> done) = 0;
  // Reads a game's output. Called only if Traits::has_output is true. `piece` returns whether more
  // is wanted. `done` is called once.
  virtual void stream(const ObjectPtr&, std::function<bool(const std::string& piece)>,
                      std::function<void()>) {}
  virtual void remove_stray(const Shown& object) = 0;
  // Removes the objects with these names and returns how many are left. May be called after
  // close(). With `more_may_come`, the engine may still make objects with these names.
  [[nodiscard]] virtual std::size_t remove_and_wait(const std::vector<std::string>& names,
                                                    bool more_may_come) = 0;

  // These functions mean the same as in GameRunner.
  [[nodiscard]] virtual std::optional<std::uint32_t> places() const { return std::nullopt; }
  // Says why the engine takes no objects: the engine is away or does not permit them. Empty: it
  // takes objects.
  [[nodiscard]] virtual std::string problem() const { return {}; }
  [[nodiscard]] virtual std::string problem_of(const std::vector<std::string>&) const {
    return problem();
  }
};

}  // namespace fixkeep::worker::engine
