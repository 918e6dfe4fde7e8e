// A watch knows the state of a worker's containers: it lists all of them and then the engine tells
// events.
//
// A restarted engine is asked again until it answers. Then everything is listed anew and events
// count from before the list: nothing is missed. A hanging engine is as silent as one without
// events, so it is asked for a sign of life beside. An engine may never tell an event, so
// everything is listed again regularly. Thread rule: the client's. Lifetime: the io_context
// outlives it; the client lives until end(). Bounds: one stream, one list and one question at a
// time; pauses from `shortest_pause` to `longest_pause`. Fault model: the engine hangs or is
// restarted. It tells an event twice, late or never. Errors: told in words by `away`.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "worker/runner/docker/container_order.hpp"
#include "worker/runner/docker/engine_client.hpp"
#include "worker/runner/docker/engine_texts.hpp"

namespace fixkeep::worker::docker {

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
    std::function<void(const std::string& why)> away;  // called once, until it is back
    std::function<void()> back;
  };

  EngineWatch(boost::asio::io_context& context, EngineClient& engine, Owner owner,
              Handlers handlers, std::chrono::milliseconds list_every = usual_list_every);
  ~EngineWatch() { end(); }
  EngineWatch(const EngineWatch&) = delete;
  EngineWatch& operator=(const EngineWatch&) = delete;

  void begin();
  // No more questions, calls of handlers or waits.
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
  std::string away_;  // reason of its absence; empty: it is there
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace fixkeep::worker::docker
