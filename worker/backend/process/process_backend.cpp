#include "worker/backend/process/process_backend.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include <boost/asio/post.hpp>
#include <csignal>
#include <filesystem>
#include <map>
#include <utility>

#include "common/base/assert.hpp"
#include "common/obs/log.hpp"
#include "common/obs/log_limit.hpp"
#include "common/process/proc.hpp"
#include "common/process/program.hpp"
#include "worker/backend/process/game_end.hpp"
#include "worker/backend/process/keeper_link.hpp"
#include "worker/backend/process/keeper_plan.hpp"
#include "worker/backend/process/kept_folders.hpp"
#include "worker/backend/process/output_folder.hpp"
#include "worker/backend/process/predecessors.hpp"
#include "worker/backend/process/room_cgroups.hpp"
#include "worker/backend/process/room_files.hpp"
#include "worker/backend/process/room_users.hpp"
#include "worker/backend/process/state_folder.hpp"

namespace fixkeep::worker {
namespace {

using keeper::Packet, keeper::Word;

constexpr std::chrono::milliseconds stop_limit{5000};
constexpr auto keeper_program = "fixkeep-room-keeper";
constexpr auto no_output = "cannot keep the output of games";

TimePoint steady_now() {
  return TimePoint{
      std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch())};
}

class ProcessBackend final : public Backend, public std::enable_shared_from_this<ProcessBackend> {
 public:
  ProcessBackend(boost::asio::io_context& context, const BackendOptions& options)
      : context_(context),
        state_(state_folder_of(options)),
        upgrade_(options.upgrade),
        folders_(process::program_folders()),
        output_bytes_(options.output.file_bytes),
        output_folder_(options.output.folder.empty() ? state_.path() + "/output"
                                                     : absolute(options.output.folder)),
        room_prefix_(options.worker.text() + "-"),
        output_(output_folder_, room_prefix_, options.output.kept_rooms),
        kept_(state_.rooms(), options.kept_folders),
        users_(options.users),
        limits_(options.limits) {}
  ~ProcessBackend() override { end_all(); }
  ProcessBackend(const ProcessBackend&) = delete;
  ProcessBackend& operator=(const ProcessBackend&) = delete;

  std::string open() override {
    auto refused = state_.take(upgrade_);
    if (refused.empty()) refused = users_.open();
    if (!refused.empty()) return refused;
    predecessors_.find();
    cgroups_.open(limits_);
    return {};
  }

  void note(RoomNumber room, std::string_view text) override {
    const auto found = running_.find(room);
    if (found == running_.end()) return;
    const RoomFiles& files = found->second->files;
    const auto written = write_whole(files.note(), text);
    if (!written) complain("cannot note what a game says of itself", files.note(), written.error());
  }
  [[nodiscard]] std::optional<std::string> note_of(const std::string& name) const override {
    return read_note(RoomFiles{state_.rooms() + "/" + name});
  }

  std::optional<std::vector<process::Descriptor>> listeners_of(const std::string& name) override {
    const FoundKeeper* const found = predecessors_.find(name);
    if (found == nullptr) return std::nullopt;
    std::vector<process::Descriptor> listeners;
    for (const process::Descriptor& listener : found->listeners) {
      listeners.emplace_back(::fcntl(listener.get(), F_DUPFD_CLOEXEC, 0));
    }
    return listeners;
  }

  void adopt(RoomNumber room, const Launch& launch, Handlers handlers) override {
    auto game = new_game(room, launch, std::move(handlers));
    output_.goes_on(launch.name);
    users_.hold(launch.name, game->files);
    if (auto found = predecessors_.take(launch.name)) {
      cgroups_.restore(game->files, launch);
      game->program = found->program;
      game->link = KeeperLink::adopt(context_, std::move(*found), handlers_of(room));
    } else {
      boost::asio::post(context_, [this, known = weak_from_this(), room] {
        if (known.lock() != nullptr && !stopped_) gone(room);
      });
    }
    running_.emplace(room, std::move(game));
  }

  void end_others() override {
    predecessors_.end_others([this](const std::string& name) {
      return std::any_of(running_.begin(), running_.end(),
                         [&](const auto& entry) { return entry.second->launch.name == name; });
    });
    users_.settle(state_.rooms());
    kept_.find();
  }

  [[nodiscard]] std::string state_folder() const override { return state_.path(); }

  void leave() override {
    stopped_ = true;
    for (const auto& [room, game] : running_) {
      if (game->link) game->link->leave();
    }
    running_.clear();
  }

  void start(RoomNumber room, const Launch& launch, Handlers handlers) override {
    auto game = new_game(room, launch, std::move(handlers));
    const auto problem = start_keeper(room, *game);
    if (problem.empty()) {
      running_.emplace(room, std::move(game));
      return;
    }
    end_recorded_cgroup(game->files);
    remove_room_files(game->files);
    users_.give_back(launch.name, game->files, false);
    kept_.keep(launch.name);
    boost::asio::post(context_, [known = weak_from_this(), game, problem] {
      const auto backend = known.lock();
      if (backend != nullptr && !backend->stopped_) game->handlers.ended(not_started(problem));
    });
  }

  void ask_to_end(RoomNumber room) override {
    Game* const game = find(room);
    if (game == nullptr) return;
    if (game->launch.stop_command.empty()) {
      game->link->send({.word = Word::signal, .number = game->launch.stop_signal});
    } else {
      send_command(*game, game->launch.stop_command, stop_limit, true, [](const CommandEnd&) {});
    }
  }

  void kill(RoomNumber room) override {
    if (Game* const game = find(room)) game->link->send({.word = Word::end});
  }

  void follow(RoomNumber room, bool on) override {
    if (Game* const game = find(room))
      game->link->send({.word = Word::follow, .number = on ? 1 : 0});
  }

  void run(RoomNumber room, const std::vector<std::string>& command,
           std::chrono::milliseconds limit, std::function<void(CommandEnd)> done) override {
    if (Game* const game = find(room)) send_command(*game, command, limit, false, std::move(done));
  }

  [[nodiscard]] std::vector<pid_t> processes(RoomNumber room) const override {
    const auto found = running_.find(room);
    if (found == running_.end() || !found->second->link) return {};
    const Game& game = *found->second;
    // The room ends with its program: what that leaves behind may answer a little longer.
    if (game.program != 0 && !game.launch.daemon && !process::alive(game.program)) return {};
    return process::descendants_of(game.link->process());
  }
  [[nodiscard]] std::size_t running() const override { return running_.size(); }
  [[nodiscard]] Starts starts() const override { return {}; }

  [[nodiscard]] std::string folder_of(const std::string& name) const override {
    return RoomFiles{state_.rooms() + "/" + name}.game();
  }
  [[nodiscard]] std::string problem_of(const std::vector<std::string>& command) const override {
    if (command.empty()) return "no command";
    return process::find_program(command.front(), folders_).problem;
  }
  [[nodiscard]] std::string output_folder() const override {
    return output_bytes_ == 0 ? "" : output_folder_;
  }

  [[nodiscard]] std::optional<std::string> output_of(const std::string& name,
                                                     std::size_t most) const override {
    const bool is_room = name.find('/') == std::string::npos && name.starts_with(room_prefix_);
    if (output_bytes_ == 0 || !is_room) return std::nullopt;
    return output_.last(name, most);
  }

  void stop() override {
    stopped_ = true;
    end_all();
  }

 private:
  struct Game {
    Launch launch;
    Handlers handlers;
    RoomFiles files;
    std::shared_ptr<KeeperLink> link;  // null: it had ended before it was adopted
    pid_t program = 0;                 // 0: not started yet
    std::optional<Packet> last;
    std::map<std::int32_t, std::function<void(CommandEnd)>> commands;
    std::int32_t last_command = 0;
  };

  // Null: it has none, or one that has ended already.
  Game* find(RoomNumber room) {
    const auto found = running_.find(room);
    if (found == running_.end() || !found->second->link) return nullptr;
    return found->second.get();
  }

  [[nodiscard]] std::vector<pid_t> keepers() const {
    auto found = predecessors_.processes();
    for (const auto& [room, game] : running_) {
      if (game->link) found.push_back(game->link->process());
    }
    return found;
  }

  std::shared_ptr<Game> new_game(RoomNumber room, const Launch& launch, Handlers handlers) const {
    FIXKEEP_ASSERT(!running_.contains(room), std::to_string(room.number()));
    auto game = std::make_shared<Game>();
    game->launch = launch;
    game->handlers = std::move(handlers);
    game->files.folder = state_.rooms() + "/" + launch.name;
    return game;
  }

  // The text says why there is no keeper.
  std::string start_keeper(RoomNumber room, Game& game) {
    const Launch& launch = game.launch;
    if (launch.command.empty()) return "cannot execute: no command";
    const std::string& name = launch.command.front();
    const auto [program, problem] = process::find_program(name, folders_);
    if (program.empty()) return "cannot execute " + name + ": " + problem;
    const auto keeper = process::find_program(keeper_program, folders_);
    if (keeper.path.empty()) {
      return std::string{"cannot execute "} + keeper_program + ": " + keeper.problem;
    }
    const auto user = users_.user_for(launch);
    if (const auto* const unknown = std::get_if<std::string>(&user)) return *unknown;
    const auto& known_user = std::get<0>(user);
    if (auto wrong = make_room_files(game.files, launch, known_user); !wrong.empty()) return wrong;
    auto link = KeeperLink::start(context_, keeper.path, game.files,
                                  plan_of(game, absolute(program), known_user), launch.listeners,
                                  handlers_of(room));
    if (!link) return "cannot start a keeper: " + link.error().message();
    game.link = std::move(*link);
    return {};
  }

  keeper::Plan plan_of(const Game& game, const std::string& program,
                       const std::optional<keeper::Plan::User>& user) {
    const Launch& launch = game.launch;
    keeper::Plan plan = keeper_plan(launch, game.files, program);
    plan.user = user;
    plan.cgroup = cgroups_.make(game.files, launch).folders();
    plan.output_bytes = output_bytes_;
    if (output_bytes_ == 0) return plan;
    if (const auto made = output_.make(); made) {
      plan.output = output_.path_of(launch.name);
    } else {
      complain(no_output, output_folder_, made.error());
    }
    return plan;
  }

  KeeperLink::Handlers handlers_of(RoomNumber room) {
    return {.heard =
                [this, room](Packet&& packet) {
                  if (Game* const game = find(room)) heard(*game, std::move(packet));
                },
            .gone = [this, room] { gone(room); }};
  }

  void heard(Game& game, Packet&& packet) {
    switch (packet.word) {
      case Word::wrote:
        if (game.handlers.wrote) game.handlers.wrote(packet.text);
        return;
      case Word::ran: {
        const auto asked = game.commands.extract(packet.number);
        if (!asked.empty()) asked.mapped()(command_end(packet));
        return;
      }
      case Word::trouble:
        complain(no_output, packet.text, {packet.number, boost::system::system_category()});
        return;
      case Word::started: game.program = packet.detail; return;
      case Word::ended: game.last = std::move(packet); return;
      case Word::state:
      case Word::hello:
      case Word::signal:
      case Word::end:
      case Word::follow:
      case Word::run: return;
    }
  }

  void gone(RoomNumber room) {
    const auto node = running_.extract(room);
    if (node.empty()) return;
    const auto game = node.mapped();
    if (!game->last) game->last = read_record(game->files.record());
    if (!game->last) end_strays(game->launch.name);
    cgroups_.end(game->files, [this, game] { ended(*game); });
  }

  void ended(const Game& game) {
    if (stopped_) return;
    remove_room_files(game.files);
    users_.give_back(game.launch.name, game.files, !game.last);
    output_.keep(game.launch.name);
    kept_.keep(game.launch.name);
    game.handlers.ended(game.last ? game_end(*game.last, game.launch) : keeper_killed());
  }

  void send_command(Game& game, const std::vector<std::string>& command,
                    std::chrono::milliseconds limit, bool asks_to_end,
                    std::function<void(CommandEnd)> done) {
    const auto [program, problem] =
        process::find_program(command.empty() ? "" : command.front(), folders_);
    if (program.empty()) {
      boost::asio::post(context_, [done = std::move(done), why = problem] {
        done({.exit_code = -1, .problem = why, .text = {}});
      });
      return;
    }
    std::string text = absolute(program) + '\0';
    for (const auto& argument : command) text += argument + '\0';
    game.commands.emplace(++game.last_command, std::move(done));
    game.link->send({.word = Word::run,
                     .number = game.last_command,
                     .detail = static_cast<std::int32_t>(limit.count()),
                     .extra = asks_to_end ? 1 : 0,
                     .text = std::move(text)});
  }

  void complain(const std::string& what, const std::string& path,
                boost::system::error_code reason) {
    const auto like_it = complaints_.admit(what + ": " + reason.message(), steady_now());
    if (!like_it) return;
    obs::log_warning(what + obs::more_like_it(*like_it),
                     {{"path", path}, {"reason", reason.message()}});
  }

  void end_all() {
    for (const auto& [room, game] : running_) {
      if (game->link) game->link->send({.word = Word::end});
    }
    for (const auto& [room, game] : running_) {
      if (game->link) game->link->wait_until_gone(stop_limit);
      end_recorded_cgroup(game->files);
      remove_room_files(game->files);
      users_.give_back(game->launch.name, game->files, false);
    }
    running_.clear();
  }

  boost::asio::io_context& context_;
  StateFolder state_;
  bool upgrade_;
  Predecessors predecessors_{state_.rooms()};
  std::vector<std::string> folders_;
  std::uint32_t output_bytes_;
  std::string output_folder_;
  std::string room_prefix_;
  OutputFolder output_;
  KeptFolders kept_;
  RoomUsers users_;
  std::vector<RoomLimits> limits_;
  RoomCgroups cgroups_{context_,
                       {.own = find_cgroup_places(), .state = state_.path(), .keepers = [this] {
                          return keepers();
                        }}};
  std::map<RoomNumber, std::shared_ptr<Game>> running_;
  obs::LogLimit complaints_{{.burst = 1,
                             .interval = std::chrono::seconds{10},
                             .longest_interval = std::chrono::minutes{10}}};
  bool stopped_ = false;
};

}  // namespace

std::shared_ptr<Backend> make_process_backend(boost::asio::io_context& context,
                                              const BackendOptions& options) {
  return std::make_shared<ProcessBackend>(context, options);
}

}  // namespace fixkeep::worker
