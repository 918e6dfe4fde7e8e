#include "worker/runner/engine/engine_runner.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <map>
#include <set>
#include <utility>

#include "common/base/assert.hpp"
#include "common/net/steady_clock.hpp"
#include "common/obs/log.hpp"
#include "worker/runner/kept_output.hpp"
#include "worker/runner/note_files.hpp"
#include "worker/runner/start_queue.hpp"
#include "worker/runner/state_folder.hpp"

namespace fixkeep::worker::engine {
namespace {

using net::steady_now;

class EngineRunner final : public GameRunner,
                           public RoomOutputs,
                           public std::enable_shared_from_this<EngineRunner> {
 public:
  EngineRunner(boost::asio::io_context& context, const RunnerOptions& options,
               std::unique_ptr<Engine> engine)
      : context_(context),
        state_(state_folder_of(options)),
        notes_(state_.path() + "/notes"),
        upgrade_(options.upgrade),
        output_(std::make_shared<KeptOutput>(options.output.kept_rooms)),
        engine_(std::move(engine)),
        engine_traits_(engine_->traits()),
        queue_(options.starts_at_once > 0 ? options.starts_at_once : engine_traits_.starts_at_once),
        rest_(context) {
    set_traits({.state_folder = state_.path(),
                .wants_ports = engine_traits_.wants_ports,
                .is_elsewhere = engine_traits_.is_elsewhere,
                .relays_sdk = engine_traits_.relays_sdk,
                .outputs = engine_traits_.has_output ? this : nullptr,
                .notes = engine_traits_.has_output ? &notes_ : nullptr,
                .local = engine_traits_.local});
  }
  ~EngineRunner() override { end_all(); }
  EngineRunner(const EngineRunner&) = delete;
  EngineRunner& operator=(const EngineRunner&) = delete;

  std::string open() override {
    if (auto refused = state_.take(upgrade_); !refused.empty()) return refused;
    return engine_->open({.listed = [this](const auto& all) { listed(all); },
                          .shown = [this](const Shown& object) { shown(object); },
                          .appeared = [this](const Shown& object) { appeared(object); },
                          .ended = [this](const Shown& object) { changed(object); },
                          .away = [this](const std::string& why) { is_away(why); },
                          .back = [this] { is_back(); },
                          .changed =
                              [this] {
                                places_changed();
                                start_next();
                              }});
  }

  void adopt(RoomNumber room, const Launch& launch, Handlers handlers) override {
    const auto order = engine_->adopt(launch, std::move(handlers));
    if (!add(room, order)) return;
    step(room, order.object, [](ObjectLife& life) { return life.adopt(steady_now()); });
  }

  void end_others() override {
    ended_others_ = true;
    notes_.forget_others();
    std::vector<std::string> names = engine_->earlier();
    std::erase_if(names, [this](const std::string& name) { return held_.contains(name); });
    if (const auto left = engine_->remove_and_wait(names, false); left > 0) {
      obs::log_warning("objects of earlier runs could not be removed",
                       {{"kind", engine_traits_.object}, {"objects", left}});
    }
  }

  void start(RoomNumber room, const Launch& launch, Handlers handlers) override {
    if (!add(room, engine_->order(launch, std::move(handlers)))) return;
    queue_.add(room);
    start_next();
    places_changed();
  }

  void ask_to_end(RoomNumber room) override { end_game(room, &ObjectLife::ask_to_end); }
  void kill(RoomNumber room) override { end_game(room, &ObjectLife::kill); }

  [[nodiscard]] std::size_t running() const override { return games_.size(); }
  [[nodiscard]] std::size_t waiting() const override { return queue_.waiting() + unready_.size(); }
  [[nodiscard]] std::optional<std::uint32_t> places() const override {
    return why_no_places().empty() ? engine_->places() : std::optional{0U};
  }
  [[nodiscard]] std::string why_no_places() const override {
    if (!why_resting_.empty()) return why_resting_;
    for (const auto& [room, object] : games_) {
      if (!object->life.waits_for_a_node()) continue;
      return "no node has room for a " + engine_traits_.object + ": " + object->life.sight().why;
    }
    return engine_->problem();
  }
  [[nodiscard]] std::string problem_of(const std::vector<std::string>& command) const override {
    return engine_->problem_of(command);
  }

  void follow(RoomNumber room, bool on) override {
    const auto object = find(room);
    if (!object) return;
    object->is_followed = on;
    if (on && object->life.runs()) stream(object);
  }
  // Returns the output that was read last, and starts a new read.
  [[nodiscard]] std::optional<std::string> output_of(const std::string& name,
                                                     std::size_t most) const override {
    for (const auto& [number, object] : games_) {
      if (closed_ || object->launch.name != name) continue;
      if (!object->life.runs() || object->is_streamed) continue;
      engine_->ask(object, {Ask::read_log}, [output = output_, name](const Answer& answer) {
        output->put(name, answer.log);
      });
    }
    return output_->last(name, most);
  }
  [[nodiscard]] std::string folder() const override { return {}; }

  void leave() override {
    if (closed_) return;
    std::vector<std::string> alone;
    for (const auto& [name, held] : held_) {
      const bool ended = !games_.contains(held.room);
      if (ended || held.object->launch.alone <= std::chrono::milliseconds{0}) alone.push_back(name);
    }
    close();
    (void)engine_->remove_and_wait(alone, false);
  }
  void stop() override { end_all(); }

 private:
  struct Held {  // kept until its object is gone: this may be after the game's end
    RoomNumber room;
    ObjectPtr object;
  };

  // Returns false if the engine makes no object. The game's end is then reported.
  bool add(RoomNumber room, const Engine::Order& order) {
    FIXKEEP_ASSERT(!games_.contains(room), std::to_string(room.number()));
    games_.emplace(room, order.object);
    const Launch& launch = order.object->launch;
    if (engine_traits_.has_output) notes_.begin(room, launch.name, launch.note);
    if (order.end) {
      end_later(room, *order.end);
      return false;
    }
    held_.emplace(order.object->name, Held{room, order.object});
    return true;
  }

  void end_game(RoomNumber room, Step (ObjectLife::*how)(TimePoint now)) {
    const auto object = find_begun(room);
    if (!object) return;
    engine_->unwanted(*object);
    step(room, object, [how](ObjectLife& life) { return (life.*how)(steady_now()); });
  }

  // Returns null for an unknown game. If the game is waiting for its turn, ends it and returns null
  // too.
  ObjectPtr find_begun(RoomNumber room) {
    if (queue_.take_out(room) || unready_.erase(room) > 0) {
      end_unbegun(room, never_ran("it was not wanted any more before it ran", true));
      return nullptr;
    }
    return find(room);
  }
  [[nodiscard]] ObjectPtr find(RoomNumber room) const {
    const auto found = games_.find(room);
    return found == games_.end() ? nullptr : found->second;
  }

  void start_next() {
    for (const RoomNumber room : std::exchange(unready_, {})) queue_.add(room);
    while (const auto room = queue_.next()) {
      const ObjectPtr object = games_.at(*room);
      const auto readiness = engine_->readiness(*object);
      if (!readiness.problem.empty()) {
        queue_.done(*room);
        end_unbegun(*room, never_ran(readiness.problem, false));
      } else if (readiness.is_coming) {
        queue_.done(*room);
        unready_.insert(*room);
      } else {
        step(*room, object, [](ObjectLife& life) { return life.start(steady_now()); });
      }
    }
  }

  // --- one game

  template <class Event>
  void step(RoomNumber room, const ObjectPtr& object, Event event) {
    const Step step = event(object->life);
    if (step.placed && object->handlers.placed)
      object->handlers.placed(*object->life.sight().place);
    if (step.begun) {
      is_started(room);
      if (object->is_followed) stream(object);
      if (object->handlers.begun) object->handlers.begun();
    }
    if (closed_) return;
    if (!step.no_place.empty()) take_a_rest(step.no_place);
    if (step.call) ask(room, object, *step.call);
    set_timer(room, object);
    if (step.ended) end_later(room, *step.ended);
    look_at_nodes(*object);
    if (step.gone && held_.erase(object->name) > 0) {
      engine_->gone(*object);
      places_changed();
    }
  }

  void ask(RoomNumber room, const ObjectPtr& object, const Call& call) {
    engine_->ask(object, call,
                 [this, room, object, is_log = call.ask == Ask::read_log](const Answer& answer) {
                   if (is_log) output_->put(object->launch.name, answer.log);
                   step(room, object,
                        [&](ObjectLife& life) { return life.answered(answer, steady_now()); });
                 });
  }

  void set_timer(RoomNumber room, const ObjectPtr& object) {
    const auto timer = object->life.timer();
    if (timer == object->rings) return;
    object->rings = timer;
    if (!timer) {
      object->timer.cancel();
      return;
    }
    object->timer.expires_at(net::to_steady(timer->at));
    object->timer.async_wait([this, room, known = std::weak_ptr{object}](auto cancelled) {
      const auto still = known.lock();
      if (cancelled || !still || closed_) return;
      const auto now = steady_now();
      const auto due = still->life.timer();
      if (!due || due->at > now) return;
      still->rings.reset();
      step(room, still, [now](ObjectLife& life) { return life.due(now); });
    });
  }

  void look_at_nodes(Object& object) {
    const bool waits = object.life.waits_for_a_node();
    if (std::exchange(object.waits_for_node, waits) == waits) return;
    if (waits) {
      obs::log_warning("no node has space for a room, so no more are taken until one has",
                       {{engine_traits_.object, object.name}, {"reason", object.life.sight().why}});
    }
    places_changed();
  }

  void is_started(RoomNumber room) {
    queue_.done(room);
    boost::asio::post(context_, [this, alive = weak_from_this()] {
      if (alive.lock() && !closed_) start_next();
    });
  }

  void end_unbegun(RoomNumber room, GameEnd end) {  // ends a game whose object was never requested
    const ObjectPtr object = games_.at(room);
    if (held_.erase(object->name) > 0) engine_->gone(*object);
    end_later(room, std::move(end));
  }

  void end_later(RoomNumber room, GameEnd end) {
    boost::asio::post(context_, [this, alive = weak_from_this(), room, end = std::move(end)] {
      if (!alive.lock() || closed_) return;
      const auto node = games_.extract(room);
      if (node.empty()) return;
      const ObjectPtr& object = node.mapped();
      notes_.end(room);
      output_->ended(object->launch.name);
      is_started(room);
      object->handlers.ended(end);
      places_changed();
    });
  }

  // The worker reads a game's output only while someone follows it.
  void stream(const ObjectPtr& object) {
    if (!engine_traits_.has_output || std::exchange(object->is_streamed, true)) return;
    const std::weak_ptr<Object> known = object;
    engine_->stream(
        object,
        [output = output_, known](const std::string& piece) {
          const auto still = known.lock();
          if (!still || !still->is_followed) return false;
          output->add(still->launch.name, piece);
          if (!piece.empty() && still->handlers.wrote) still->handlers.wrote(piece);
          return true;
        },
        [known] {
          if (const auto still = known.lock()) still->is_streamed = false;
        });
  }

  // --- the engine

  void listed(const std::vector<Shown>& all) {
    std::set<std::string> names;
    for (const Shown& object : all) {
      names.insert(object.name);
      shown(object);
    }
    const auto held_before = held_;
    for (const auto& [name, held] : held_before) {
      if (names.contains(name)) continue;
      step(held.room, held.object, [](ObjectLife& life) { return life.missing(steady_now()); });
    }
  }
  void shown(const Shown& object) {
    if (held_.contains(object.name)) {
      changed(object);
    } else {
      appeared(object);
    }
  }
  void changed(const Shown& object) {
    const auto found = held_.find(object.name);
    if (found == held_.end()) return;
    const Held held = found->second;
    step(held.room, held.object,
         [&](ObjectLife& life) { return life.shown(object.sight, steady_now()); });
  }
  void appeared(const Shown& object) {
    const bool is_there = object.sight.state != Sight::State::none;
    if (is_there && ended_others_ && !held_.contains(object.name)) engine_->remove_stray(object);
  }
  void is_away(const std::string& why) const {
    obs::log_error("the engine of rooms does not answer, so no room can start",
                   {{"rooms_are", engine_traits_.object + "s"}, {"reason", why}});
    places_changed();
  }
  void is_back() {
    obs::log_info("the engine of rooms answers again",
                  {{"rooms_are", engine_traits_.object + "s"}});
    places_changed();
    start_next();
  }
  void take_a_rest(const std::string& why) {
    why_resting_ = why;
    rest_.expires_after(rest);
    rest_.async_wait([this, alive = weak_from_this()](boost::system::error_code cancelled) {
      if (cancelled || !alive.lock() || closed_) return;
      why_resting_.clear();
      places_changed();
    });
    places_changed();
  }

  // Afterwards no handler is called.
  void close() {
    closed_ = true;
    engine_->close();
    rest_.cancel();
    games_.clear();
    held_.clear();
  }
  void end_all() {
    if (closed_) return;
    std::vector<std::string> names;
    for (const auto& [name, held] : held_) names.push_back(name);
    // If the engine has received a `make`, the engine may make the object even after close().
    const bool more_may_come = std::any_of(games_.begin(), games_.end(), [](const auto& each) {
      return each.second->life.is_being_made();
    });
    close();
    if (const auto left = engine_->remove_and_wait(names, more_may_come); left > 0) {
      obs::log_error("objects could not be removed; the next run of the worker does it",
                     {{"kind", engine_traits_.object}, {"objects", left}});
    }
  }

  boost::asio::io_context& context_;
  StateFolder state_;
  NoteFiles notes_;
  bool upgrade_;
  std::shared_ptr<KeptOutput> output_;
  std::unique_ptr<Engine> engine_;
  Engine::Traits engine_traits_;
  StartQueue queue_;
  boost::asio::steady_timer rest_;
  std::string why_resting_;       // empty: the runner does not rest
  std::set<RoomNumber> unready_;  // games whose image is not there yet
  std::map<RoomNumber, ObjectPtr> games_;
  std::map<std::string, Held> held_;  // key: the object's name
  bool ended_others_ = false;
  bool closed_ = false;
};

}  // namespace

std::shared_ptr<GameRunner> make_engine_runner(boost::asio::io_context& context,
                                               const RunnerOptions& options,
                                               std::unique_ptr<Engine> engine) {
  return std::make_shared<EngineRunner>(context, options, std::move(engine));
}

}  // namespace fixkeep::worker::engine
