#include "worker/runner/docker/docker_runner.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <map>
#include <set>
#include <thread>
#include <utility>

#include "common/base/assert.hpp"
#include "common/obs/log.hpp"
#include "worker/runner/docker/container_calls.hpp"
#include "worker/runner/docker/container_sdk.hpp"
#include "worker/runner/docker/docker_game.hpp"
#include "worker/runner/docker/engine_watch.hpp"
#include "worker/runner/docker/found_containers.hpp"
#include "worker/runner/docker/images.hpp"
#include "worker/runner/kept_output.hpp"
#include "worker/runner/note_files.hpp"
#include "worker/runner/start_queue.hpp"
#include "worker/runner/state_folder.hpp"

namespace fixkeep::worker {
namespace {

using namespace docker;

constexpr std::chrono::milliseconds removal_limit{10'000};
constexpr std::chrono::seconds stream_limit{10};

class DockerRunner final : public GameRunner,
                           public RoomOutputs,
                           public LocalRooms,
                           public std::enable_shared_from_this<DockerRunner> {
 public:
  DockerRunner(boost::asio::io_context& context, const RunnerOptions& options)
      : context_(context),
        state_(state_folder_of(options)),
        notes_(state_.path() + "/notes"),
        upgrade_(options.upgrade),
        socket_(options.engine_socket),
        owner_{options.cluster, options.worker.text()},
        address_(options.address),
        log_bytes_(options.output.file_bytes),
        wanted_images_(options.images),
        found_(socket_, owner_),
        output_(std::make_shared<KeptOutput>(options.output.kept_rooms)),
        engine_(std::make_unique<EngineClient>(context, socket_)),
        images_(*engine_, [this] { start_next(); }),
        watch_(context, *engine_, owner_,
               {.listed = [this](const auto& all) { listed(all); },
                .happened = [this](const EngineEvent& event) { happened(event); },
                .away = [this](const std::string& why) { is_away(why); },
                .back = [this] { is_back(); }}),
        queue_(options.starts_at_once > 0 ? options.starts_at_once
                                          : std::max(2U, 2 * std::thread::hardware_concurrency())) {
  }
  ~DockerRunner() override { end_all(); }
  DockerRunner(const DockerRunner&) = delete;
  DockerRunner& operator=(const DockerRunner&) = delete;

  std::string open() override {
    auto refused = state_.take(upgrade_);
    if (refused.empty()) refused = found_.look();
    if (!refused.empty()) return refused;
    sdk_.look(socket_);
    for (const std::string& image : wanted_images_) images_.want(image);
    watch_.begin();
    return {};
  }

  void adopt(RoomNumber room, const Launch& launch, Handlers handlers) override {
    auto game = new_game(room, launch, std::move(handlers));
    // Only the room of a game that has ended meanwhile is known.
    if (const Container* const known = found_.of_room(launch.name);
        known != nullptr && launch.object.empty()) {
      game->order.name = known->name;
      game->order.labels = known->labels;
    }
    game->life = ContainerLife{game->order.labels};
    add(room, game);
    if (game->order.name.empty()) return end_later(room, {.how = "it has no container any more"});
    take(room, game, game->life.adopt(!launch.listen_inside.empty()));
  }

  void end_others() override {
    ended_others_ = true;
    notes_.forget_others();
    if (const auto refused = found_.look(); !refused.empty()) obs::log_warning(refused, {});
    std::vector<std::string> names = found_.names();
    std::erase_if(names, [this](const std::string& name) { return rooms_.contains(name); });
    if (const auto left = remove_and_wait(socket_, names, removal_limit); left > 0) {
      obs::log_warning("containers of earlier runs could not be removed", {{"containers", left}});
    }
  }

  void start(RoomNumber room, const Launch& launch, Handlers handlers) override {
    const auto game = new_game(room, launch, std::move(handlers));
    add(room, game);
    images_.want(game->order.image);
    queue_.add(room);
    start_next();
  }

  void ask_to_end(RoomNumber room) override {
    if (const auto game = find_begun(room)) take(room, game, game->life.ask_to_end());
  }
  void kill(RoomNumber room) override {
    if (const auto game = find_begun(room)) take(room, game, game->life.kill());
  }

  [[nodiscard]] std::size_t running() const override { return games_.size(); }
  [[nodiscard]] std::size_t waiting() const override {
    return queue_.waiting() + without_image_.size();
  }
  [[nodiscard]] bool wants_ports() const override { return true; }
  [[nodiscard]] std::optional<std::uint32_t> places() const override {
    return watch_.is_away() ? std::optional{0U} : std::nullopt;
  }
  [[nodiscard]] std::string problem_of(const std::vector<std::string>&) const override {
    return watch_.is_away() ? "the container engine does not answer: " + watch_.why_away() : "";
  }
  [[nodiscard]] std::string state_folder() const override { return state_.path(); }

  [[nodiscard]] RoomOutputs* outputs() override { return this; }
  [[nodiscard]] RoomNotes* notes() override { return &notes_; }
  [[nodiscard]] LocalRooms* local() override { return this; }

  void follow(RoomNumber room, bool on) override {
    const auto found = games_.find(room);
    if (found == games_.end()) return;
    found->second->followed = on;
    if (on) follow_output(found->second);
  }
  // Returns the output of the last look and looks again.
  [[nodiscard]] std::optional<std::string> output_of(const std::string& name,
                                                     std::size_t most) const override {
    look_at_output(name);
    return output_->last(name, most);
  }
  [[nodiscard]] std::string folder() const override { return {}; }

  [[nodiscard]] SdkPlace sdk_place(const ContainerOptions& container,
                                   const wire::RoomPlace& place) const override {
    if (container.network == ContainerNetwork::host) return {};
    return sdk_.place_for(published_ports(container, place));
  }
  std::optional<std::vector<process::Descriptor>> listeners_of(const std::string& name) override {
    return found_.listeners_of(name);
  }
  [[nodiscard]] std::string folder_of(const std::string&) const override {
    return std::string{room_folder};
  }

  void leave() override {
    std::vector<std::string> alone;
    for (const auto& [name, held] : rooms_) {
      const bool ended = !games_.contains(held.room);
      if (ended || held.game->launch.alone <= std::chrono::milliseconds{0}) alone.push_back(name);
    }
    close();
    (void)remove_and_wait(socket_, alone, removal_limit);
  }
  void stop() override { end_all(); }

 private:
  using Game = DockerGame;
  using GamePtr = std::shared_ptr<Game>;

  [[nodiscard]] GamePtr new_game(RoomNumber room, const Launch& launch, Handlers handlers) {
    FIXKEEP_ASSERT(!games_.contains(room), std::to_string(room.number()));
    auto game = std::make_shared<Game>(context_, launch, std::move(handlers),
                                       container_order(launch, owner_, log_bytes_, address_));
    game->followed = launch.follow;
    return game;
  }
  void add(RoomNumber room, const GamePtr& game) {
    games_.emplace(room, game);
    if (!game->order.name.empty()) rooms_.emplace(game->order.name, HeldGame{room, game});
    notes_.begin(room, game->launch.name, game->launch.note);
  }

  // Null: no game, or it has not had its turn and its end is told.
  GamePtr find_begun(RoomNumber room) {
    if (queue_.take_out(room) || without_image_.erase(room) > 0) {
      end_unbegun(room, never_ran("it was not wanted any more before it ran", true));
      return nullptr;
    }
    const auto found = games_.find(room);
    return found == games_.end() ? nullptr : found->second;
  }

  void start_next() {
    for (const RoomNumber room : std::exchange(without_image_, {})) queue_.add(room);
    while (const auto room = queue_.next()) {
      const GamePtr game = games_.at(*room);
      const auto problem = images_.problem_of(game->order.image);
      if (!problem.empty()) {
        queue_.done(*room);
        end_unbegun(*room,
                    never_ran("there is no image " + game->order.image + ": " + problem, false));
      } else if (images_.is_coming(game->order.image)) {
        queue_.done(*room);
        without_image_.insert(*room);
      } else {
        take(*room, game, game->life.start(!game->launch.listen_inside.empty()));
      }
    }
  }

  // --- one game

  void take(RoomNumber room, const GamePtr& game, const LifeStep& step) {
    if (step.begun) {
      is_started(room);
      if (game->followed) follow_output(game);
      if (game->handlers.begun) game->handlers.begun();
    }
    if (step.ring) {
      game->timer.expires_after(*step.ring);
      game->timer.async_wait([this, room, known = std::weak_ptr{game}](auto cancelled) {
        const auto still = known.lock();
        if (!cancelled && still && !closed_) take(room, still, still->life.rang());
      });
    }
    if (step.ask) ask(room, game, *step.ask);
    if (step.ended) end_later(room, *step.ended);
    if (step.gone) rooms_.erase(game->order.name);
  }

  void ask(RoomNumber room, const GamePtr& game, EngineAsk what) {
    ask_of(*engine_, what, game->order, game->launch, [=, this](const EngineAnswer& answer) {
      if (what == EngineAsk::read_log) output_->put(game->launch.name, answer.log);
      if (what == EngineAsk::create) images_.used(game->order.image, answer);
      take(room, game, game->life.answered(what, answer));
      if (answer.found) game->listen(*answer.found);
    });
  }

  void is_started(RoomNumber room) {
    queue_.done(room);
    boost::asio::post(context_, [this, alive = weak_from_this()] {
      if (alive.lock() && !closed_) start_next();
    });
  }

  void end_unbegun(RoomNumber room, GameEnd end) {  // no engine was asked for it
    rooms_.erase(games_.at(room)->order.name);
    end_later(room, std::move(end));
  }

  void end_later(RoomNumber room, GameEnd end) {
    boost::asio::post(context_, [this, alive = weak_from_this(), room, end = std::move(end)] {
      if (!alive.lock() || closed_) return;
      const auto node = games_.extract(room);
      if (node.empty()) return;
      const GamePtr& game = node.mapped();
      notes_.end(room);
      output_->ended(game->launch.name);
      is_started(room);
      game->handlers.ended(end);
    });
  }

  void look_at_output(const std::string& room) const {
    if (closed_) return;
    for (const auto& [number, game] : games_) {
      if (game->launch.name != room || !game->life.runs() || game->streams) continue;
      ask_of(
          *engine_, EngineAsk::read_log, game->order, game->launch,
          [output = output_, room](const EngineAnswer& answer) { output->put(room, answer.log); });
    }
  }

  // The worker reads a game's output only while it is followed.
  void follow_output(const GamePtr& game) {
    if (std::exchange(game->streams, true)) return;
    net::HttpCall call;
    call.target = logs_target(game->order.name, log_lines, true);
    const auto reader = std::make_shared<LogReader>(game->order.terminal);
    EngineClient::Stream stream;
    stream.piece = [this, reader, known = std::weak_ptr{game}](const auto& piece) {
      const auto still = known.lock();
      if (!still || !still->followed) return false;
      const std::string text = reader->put(piece);
      output_->add(still->launch.name, text);
      if (!text.empty() && still->handlers.wrote) still->handlers.wrote(text);
      return true;
    };
    stream.done = [known = std::weak_ptr{game}](const EngineClient::Answer&) {
      if (const auto still = known.lock()) still->streams = false;
    };
    engine_->stream(std::move(call), stream_limit, net::HttpClient::no_limit, std::move(stream));
  }

  // --- the engine

  void listed(const std::vector<Container>& all) {
    std::set<std::string> listed_running;
    for (const Container& each : all) {
      if (each.state == ContainerState::running) listed_running.insert(each.name);
      if (!rooms_.contains(each.name)) remove_stray(each.name);
    }
    const auto rooms = rooms_;
    for (const auto& [name, held] : rooms) {
      if (held.game->life.runs() && !listed_running.contains(name)) {
        take(held.room, held.game, held.game->life.noticed(std::nullopt));
      }
    }
  }

  void happened(const EngineEvent& event) {
    const auto found = rooms_.find(event.name);
    if (found == rooms_.end()) {
      if (event.action == "create" || event.action == "start") remove_stray(event.name);
      return;
    }
    if (event.action != "die" && event.action != "destroy") return;
    const HeldGame held = found->second;
    take(held.room, held.game, held.game->life.noticed(event.exit_code));
  }

  void remove_stray(const std::string& name) {
    if (!ended_others_ || !strays_.insert(name).second) return;
    net::HttpCall call;
    call.method = "DELETE";
    call.target = remove_target(name);
    engine_->ask(std::move(call), removal_limit, [this, name](const EngineClient::Answer& answer) {
      strays_.erase(name);
      if (answer.status != 204) return;
      obs::log_warning("a container of this worker that it did not know is removed",
                       {{"container", name}});
    });
  }

  void is_away(const std::string& why) const {
    obs::log_error("the container engine does not answer, so no room can start", {{"reason", why}});
    places_changed();
  }
  void is_back() {
    obs::log_info("the container engine answers again", {});
    places_changed();
    start_next();
  }

  // No handler is called any more.
  void close() {
    closed_ = true;
    watch_.end();
    engine_.reset();
    games_.clear();
    rooms_.clear();
  }

  void end_all() {
    if (closed_) return;
    std::vector<std::string> names;
    for (const auto& [name, held] : rooms_) names.push_back(name);
    close();
    if (const auto left = remove_and_wait(socket_, names, removal_limit); left > 0) {
      obs::log_error("containers could not be removed; the next run of the worker does it",
                     {{"containers", left}});
    }
  }

  boost::asio::io_context& context_;
  StateFolder state_;
  NoteFiles notes_;
  bool upgrade_;
  std::string socket_;
  Owner owner_;
  std::string address_;
  std::uint32_t log_bytes_;
  std::vector<std::string> wanted_images_;
  FoundContainers found_;
  ContainerSdk sdk_;
  std::shared_ptr<KeptOutput> output_;
  std::unique_ptr<EngineClient> engine_;
  Images images_;
  EngineWatch watch_;
  StartQueue queue_;
  std::set<RoomNumber> without_image_;  // rooms whose image is on its way
  std::map<RoomNumber, GamePtr> games_;
  std::map<std::string, HeldGame> rooms_;  // key: name of the container
  std::set<std::string> strays_;           // containers that are being removed
  bool ended_others_ = false;
  bool closed_ = false;
};

}  // namespace

std::shared_ptr<GameRunner> make_docker_runner(boost::asio::io_context& context,
                                               const RunnerOptions& options) {
  return std::make_shared<DockerRunner>(context, options);
}

}  // namespace fixkeep::worker
