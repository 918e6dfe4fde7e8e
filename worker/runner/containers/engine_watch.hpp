// A watch follows the state of a worker's containers. It lists all containers and then reads the
// engine's events.
//
// After an engine's restart, the watch asks for a list until the engine answers. It then reads all
// events from a moment before that list, so it misses no event. A hanging engine is as silent as an
// engine without events. Therefore the watch also sends regular pings. An engine may lose an event,
// so the watch also lists all containers regularly. Thread rule: that of the client. Lifetime: the
// io_context outlives the watch; the client lives until end(). Bounds: one stream, one list and one
// ping at a time; pauses from `shortest_pause` to `longest_pause`. Fault model: the engine hangs or
// is restarted. It reports an event twice, late or never. Errors: `away` reports them in words.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "worker/runner/containers/container_order.hpp"
#include "worker/runner/containers/engine_client.hpp"
#include "worker/runner/containers/engine_texts.hpp"

namespace fixkeep::worker::containers {

class EngineWatch {
 public:
  static constexpr std::chrono::milliseconds shortest_pause{100};
  static constexpr std::chrono::milliseconds longest_pause{2000};
  static constexpr std::chrono::seconds sign_of_life_every{5};
  static constexpr std::chrono::seconds sign_of_life_limit{5};
  static constexpr std::chrono::milliseconds usual_list_every{10'000};

  struct Handlers {
    std::function<void(const std::vector<Container>& all)> listed;
    std::function<void(const EngineEvent& event)> happened;
    std::function<void(const std::string& why)> away;  // called once per outage
    std::function<void()> back;
  };

  EngineWatch(boost::asio::io_context& context, EngineClient& engine, Owner owner,
              Handlers handlers, std::chrono::milliseconds list_every = usual_list_every);
  ~EngineWatch() { end(); }
  EngineWatch(const EngineWatch&) = delete;
  EngineWatch& operator=(const EngineWatch&) = delete;

  void begin();
  // Ends all requests, waits and calls of handlers.
  void end();
  [[nodiscard]] bool is_away() const { return !away_.empty(); }
  [[nodiscard]] const std::string& why_away() const { return away_; }

 private:
  void list();
  void follow(std::int64_t since);
  void list_later();
  void list_beside_later();
  void list_beside();
  void ask_for_life();
  void ask_for_life_later();
  void is_silent(const std::string& why);
  void answers();

  EngineClient& engine_;
  Owner owner_;
  Handlers handlers_;
  boost::asio::steady_timer pause_;
  boost::asio::steady_timer life_;
  boost::asio::steady_timer beside_;
  std::chrono::milliseconds list_every_;
  std::chrono::milliseconds next_pause_ = shortest_pause;
  std::string away_;  // why the engine is away; empty: it answers
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace fixkeep::worker::containers
