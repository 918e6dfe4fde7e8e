#include "worker/runner/process/process_runner.hpp"

#include <unistd.h>

#include <algorithm>

#include <boost/asio/post.hpp>
#include <csignal>
#include <cstring>
#include <map>
#include <utility>

#include "common/base/assert.hpp"
#include "common/process/proc.hpp"
#include "common/process/program.hpp"
#include "worker/keeper/place.hpp"
#include "worker/runner/complaints.hpp"
#include "worker/runner/process/game_end.hpp"
#include "worker/runner/process/keeper_link.hpp"
#include "worker/runner/process/keeper_plan.hpp"
#include "worker/runner/process/kept_folders.hpp"
#include "worker/runner/process/output_folder.hpp"
#include "worker/runner/process/predecessors.hpp"
#include "worker/runner/process/room_cgroups.hpp"
#include "worker/runner/process/room_commands.hpp"
#include "worker/runner/process/room_starts.hpp"
#include "worker/runner/process/room_users.hpp"
#include "worker/runner/state_folder.hpp"

namespace fixkeep::worker {
namespace {

using keeper::Packet, keeper::Word;

constexpr std::chrono::milliseconds stop_limit{5000};
constexpr std::chrono::milliseconds leave_limit{5000};  // the next run waits twice as long
// This number is enough to examine a failure after a busy evening. More folders could fill a disk,
// because a game's world may have gigabytes.
constexpr std::uint32_t kept_folders = 100;
constexpr auto no_output = "cannot keep the output of games";
constexpr auto no_note = "cannot note what a game says of itself";
class ProcessRunner final : public GameRunner,
                            public RoomOutputs,
                            public RoomShell,
                            public RoomProcesses,
                            public RoomNotes,
                            public LocalRooms,
                            public std::enable_shared_from_this<ProcessRunner> {
 public:
  ProcessRunner(boost::asio::io_context& context, const RunnerOptions& options)
      : context_(context),
        state_(state_folder_of(options)),
        upgrade_(options.upgrade),
        folders_(process::program_folders()),
        output_bytes_(options.output.file_bytes),
        output_folder_(state_.path() + "/output"),
        output_(output_folder_, options.worker.text() + "-", options.output.kept_rooms),
        kept_(state_.rooms(), kept_folders),
        tls_(options.tls),
        users_(options.users),
        limits_(options.limits),
        starts_(context, folders_, options.starts_at_once,
                {.prepare = [this](RoomNumber room) { return prepare(room); },
                 .handlers = [this](RoomNumber room) { return handlers_of(room); },
                 .linked =
                     [this](RoomNumber room, std::shared_ptr<KeeperLink> link) {
                       running_.at(room)->link = std::move(link);
                     },
                 .failed = [this](RoomNumber room, const std::string& why,
                                  bool ours) { end_unbegun(room, why, ours); }}) {
    set_traits({.state_folder = state_.path(),
                .wants_ports = true,
                .outputs = this,
                .shell = this,
                .processes = this,
                .notes = this,
                .local = this});
  }
  ~ProcessRunner() override { end_all(); }
  ProcessRunner(const ProcessRunner&) = delete;
  ProcessRunner& operator=(const ProcessRunner&) = delete;

  std::string open() override {
    auto refused = state_.take(upgrade_);
    if (refused.empty()) refused = users_.open();
    if (refused.empty()) refused = make_rooms_folder(state_.rooms());
    if (!refused.empty()) return refused;
    predecessors_.find();
    cgroups_.open(limits_);
    starts_.open();
    return {};
  }

  void note(RoomNumber room, std::string_view text) override {
    const auto found = running_.find(room);
    if (found == running_.end() || !found->second->note) return;
    const auto written = found->second->note->write(text);
    if (!written) complaints_.tell(no_note, found->second->launch.name, written.error().message());
  }
  [[nodiscard]] std::optional<std::string> note_of(const std::string& name) const override {
    const FoundKeeper* const found = predecessors_.find(name);
    return found == nullptr || !found->note ? std::nullopt : found->note->read();
  }

  std::optional<std::vector<process::Descriptor>> listeners_of(const std::string& name) override {
    return predecessors_.listeners_of(name);
  }

  void adopt(RoomNumber room, const Launch& launch, Handlers handlers) override {
    auto game = new_game(room, launch, std::move(handlers));
    output_.goes_on(launch.name);
    users_.hold(launch.name, game->files);
    if (auto found = predecessors_.take(launch.name)) {
      cgroups_.restore(game->files, launch);
      game->program = found->program;
      game->note = std::move(found->note);
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
    users_.reclaim(state_.rooms());
    kept_.find();
  }

  void leave() override {
    stopped_ = true;
    starts_.leave(leave_limit);
    for (const auto& [room, game] : running_) {
      if (game->link) game->link->leave();
    }
    running_.clear();
  }

  void start(RoomNumber room, const Launch& launch, Handlers handlers) override {
    auto game = new_game(room, launch, std::move(handlers));
    if (launch.alone > std::chrono::milliseconds{0}) {
      auto note = RoomNote::make(launch.note);
      if (note) {
        game->note = *std::move(note);
      } else {
        complaints_.tell(no_note, launch.name, note.error().message());
      }
    }
    running_.emplace(room, std::move(game));
    starts_.add(room);
  }

  void ask_to_end(RoomNumber room) override {
    Game* const game = find_begun(room);
    if (game == nullptr) return;
    if (game->launch.stop_command.empty()) {
      game->link->send({.word = Word::signal, .number = game->launch.stop_signal});
    } else {
      send_command(*game, game->launch.stop_command, stop_limit, true, [](const CommandEnd&) {});
    }
  }
  void kill(RoomNumber room) override {
    if (Game* const game = find_begun(room)) game->link->send({.word = Word::end});
  }
  void follow(RoomNumber room, bool on) override {
    if (Game* const game = find(room)) game->link->send({Word::follow, on ? 1 : 0});
  }

  void run(RoomNumber room, const std::vector<std::string>& command,
           std::chrono::milliseconds limit, std::function<void(CommandEnd)> done) override {
    const auto found = running_.find(room);
    if (found != running_.end()) {
      send_command(*found->second, command, limit, false, std::move(done));
    }
  }

  [[nodiscard]] std::vector<pid_t> of(RoomNumber room) const override {
    const auto found = running_.find(room);
    if (found == running_.end() || !found->second->link || !found->second->link->born()) return {};
    const Game& game = *found->second;
    // Returns no process after the program has ended: the room ends with its program, even if
    // processes that it left behind answer for a moment.
    if (game.program != 0 && !game.launch.game.daemon && !process::alive(game.program)) return {};
    return process::descendants_of(game.link->process());
  }
  [[nodiscard]] std::size_t running() const override { return running_.size(); }
  [[nodiscard]] std::size_t waiting() const override { return starts_.waiting(); }
  [[nodiscard]] std::string folder_of(const std::string& name) const override {
    return RoomFiles{state_.rooms() + "/" + name}.game();
  }
  [[nodiscard]] std::string problem_of(const std::vector<std::string>& command) const override {
    if (command.empty()) return "no command";
    return process::find_program(command.front(), folders_).problem;
  }
  [[nodiscard]] std::string folder() const override {
    return output_bytes_ == 0 ? "" : output_folder_;
  }
  [[nodiscard]] std::optional<std::string> output_of(const std::string& name,
                                                     std::size_t most) const override {
    return output_bytes_ != 0 ? output_.last(name, most) : std::nullopt;
  }

  void stop() override { end_all(); }

 private:
  struct Game {
    Launch launch;
    Handlers handlers;
    RoomFiles files;
    std::shared_ptr<KeeperLink> link;  // null: not handed over, or ended before it was adopted
    pid_t program = 0;                 // 0: not started yet
    bool unwanted = false;             // the game was asked to end, or was killed
    std::optional<RoomNote> note;      // nullopt: no next run needs it
    std::optional<Packet> last;
    RoomCommands commands;
  };

  // Returns a running game and marks it as unwanted. If the game is waiting for its turn, this call
  // ends it. Null: the game does not run, and its end is reported later.
  Game* find_begun(RoomNumber room) {
    if (starts_.take_out(room)) return nullptr;
    Game* const game = find(room);
    if (game != nullptr) game->unwanted = true;
    return game;
  }

  // Returns the room's game. Null: the room has no game, or no keeper runs the game (yet).
  Game* find(RoomNumber room) {
    const auto found = running_.find(room);
    if (found == running_.end() || !found->second->link) return nullptr;
    return found->second.get();
  }

  [[nodiscard]] std::vector<pid_t> keepers() const {
    auto found = starts_.processes();
    for (const pid_t keeper : predecessors_.processes()) found.push_back(keeper);
    for (const auto& [room, game] : running_) {
      if (game->link && game->link->born()) found.push_back(game->link->process());
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

  // The plan lists everything that the keeper makes. The worker adds facts that a keeper cannot
  // look up: the command, the program's path and the user. This costs a few reads from the kernel's
  // memory. With Launch::user, it also costs one read from the machine's list of users.
  std::variant<RoomStarts::Order, std::string> prepare(RoomNumber room) {
    Game& game = *running_.at(room);
    const Launch& launch = game.launch;
    if (launch.game.command.empty()) return "cannot execute: no command";
    const std::string& name = launch.game.command.front();
    const auto [program, problem] = process::find_program(name, folders_);
    if (program.empty()) return "cannot execute " + name + ": " + problem;
    auto user = users_.user_for(launch);
    if (auto* const unknown = std::get_if<std::string>(&user)) return std::move(*unknown);
    keeper::Plan plan = keeper_plan(launch, game.files, absolute(program));
    plan.user = std::get<0>(std::move(user));
    plan.cgroup = cgroups_.folders_for(launch);
    if (auto refused = end_tls(launch, tls_, folders_, expiry_, plan); !refused.empty())
      return refused;
    plan.output_bytes = output_bytes_;
    const int note = game.note ? game.note->descriptor() : -1;
    if (output_bytes_ == 0) return RoomStarts::Order{to_text(plan), note, launch.listeners};
    if (const auto made = output_.make_once(); made) {
      plan.output = output_.path_of(launch.name);
    } else {
      complaints_.tell(no_output, output_folder_, made.error().message());
    }
    return RoomStarts::Order{to_text(plan), note, launch.listeners};
  }

  KeeperLink::Handlers handlers_of(RoomNumber room) {
    return {.heard =
                [this, room](Packet&& packet) {
                  if (Game* const game = find(room)) heard(room, *game, std::move(packet));
                },
            .gone = [this, room] { gone(room); }};
  }

  void heard(RoomNumber room, Game& game, Packet&& packet) {
    switch (packet.word) {
      case Word::wrote:
        if (game.handlers.wrote) game.handlers.wrote(packet.text);
        return;
      case Word::ran: return game.commands.ended(packet);
      case Word::trouble:
        output_.had_trouble();
        complaints_.tell(no_output, packet.text, std::strerror(packet.number));
        return;
      case Word::complaint_1:
      case Word::complaint: return cgroups_.complain(packet);
      case Word::placed: return starts_.placed(room);
      case Word::started:
        game.program = packet.detail;
        starts_.started(room);
        if (game.handlers.begun && !stopped_) game.handlers.begun();
        return;
      case Word::ended: game.last = std::move(packet); return;
      case Word::state:
      case Word::hello:
      case Word::signal:
      case Word::end:
      case Word::follow:
      case Word::run_1:
      case Word::run: return;
    }
  }

  void gone(RoomNumber room) {
    const auto found = running_.find(room);
    if (found == running_.end()) return;
    const auto game = found->second;
    const bool begun = game->last || !game->link || game->link->born();
    if (starts_.gone(room, !begun && !game->unwanted)) return;
    if (!begun) {
      return end_unbegun(room, "its keeper was never born: what starts it was killed", true);
    }
    running_.erase(found);
    if (!game->last) game->last = read_record(game->files.record());
    if (!game->last) end_strays(game->launch.name);
    cgroups_.end(game->files, [this, game] {
      ended(*game, game->last ? game_end(*game->last, game->launch) : nobody_knows(game->files));
    });
  }

  void end_unbegun(RoomNumber room, const std::string& why, bool ours) {
    const auto node = running_.extract(room);
    if (!node.empty()) ended(*node.mapped(), never_ran(why, ours));
  }

  void ended(const Game& game, const GameEnd& end) {
    if (stopped_) return;
    remove_room_files(game.files);
    users_.give_back(game.launch.name, game.files, end.kind == GameEnd::Kind::unknown);
    output_.keep(game.launch.name);
    kept_.keep(game.launch.name, nothing_is_kept(end, game.launch));
    game.handlers.ended(end);
  }

  void send_command(Game& game, const std::vector<std::string>& command,
                    std::chrono::milliseconds limit, bool asks_to_end, RoomCommands::Done done) {
    auto problem = !game.link ? "nothing of it runs"
                              : game.commands.send({{}, command, limit, asks_to_end}, folders_,
                                                   *game.link, done);
    if (problem.empty()) return;
    boost::asio::post(context_, [done = std::move(done), problem = std::move(problem)] {
      done({.exit_code = -1, .problem = problem, .text = {}});
    });
  }

  void end_all() {
    stopped_ = true;
    starts_.end();
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
  OutputFolder output_;
  KeptFolders kept_;
  net::HttpsFiles tls_;
  net::ExpiryWatch expiry_{"rooms"};
  RoomUsers users_;
  std::vector<RoomLimits> limits_;
  RoomCgroups cgroups_{context_,
                       {.own = find_cgroup_places(), .state = state_.path(), .keepers = [this] {
                          return keepers();
                        }}};
  std::map<RoomNumber, std::shared_ptr<Game>> running_;
  RoomStarts starts_;
  Complaints complaints_{"path"};
  bool stopped_ = false;
};

}  // namespace

std::shared_ptr<GameRunner> make_process_runner(boost::asio::io_context& context,
                                                const RunnerOptions& options) {
  return std::make_shared<ProcessRunner>(context, options);
}

}  // namespace fixkeep::worker
