#include "worker/runner/hook/hook_runner.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "common/base/assert.hpp"
#include "common/net/steady_clock.hpp"
#include "common/process/program.hpp"
#include "worker/keeper/texts.hpp"
#include "worker/runner/complaints.hpp"
#include "worker/runner/hook/hook_commands.hpp"
#include "worker/runner/hook/hook_records.hpp"
#include "worker/runner/state_folder.hpp"

namespace fixkeep::worker {
namespace {

namespace asio = boost::asio;
using net::steady_now;

constexpr std::chrono::seconds stops_limit{10};

// Commands get the configured environment and the room's name. They get no secret of the room
// because only its game needs the secret.
std::vector<std::string> without_secrets(const std::vector<std::string>& environment) {
  std::vector<std::string> kept;
  for (const std::string& each : environment) {
    const bool ours = each.starts_with("FIXKEEP_") || each.starts_with("AGONES_");
    const bool says_which =
        each.starts_with("FIXKEEP_ROOM_ID=") || each.starts_with("FIXKEEP_MODE=");
    if (!ours || says_which) kept.push_back(each);
  }
  return kept;
}

std::vector<std::string> of_no_room(std::vector<std::string> environment) {
  std::erase_if(environment, [](const std::string& each) { return each.starts_with("FIXKEEP_"); });
  return environment;
}

std::string key_of(const std::vector<std::string>& words) {
  std::string key;
  for (const std::string& word : words) keeper::append_text(key, word);
  return key;
}

class HookRunner final : public GameRunner {
 public:
  HookRunner(asio::io_context& context, const RunnerOptions& options, const HookOptions& hook)
      : context_(context),
        state_(state_folder_of(options)),
        upgrade_(options.upgrade),
        folders_(process::program_folders()),
        rooms_(hook),
        commands_(std::make_unique<HookCommands>(context)),
        timer_(std::make_unique<asio::steady_timer>(context)) {
    set_traits({.state_folder = state_.path()});
  }
  ~HookRunner() override { end_all(); }
  HookRunner(const HookRunner&) = delete;
  HookRunner& operator=(const HookRunner&) = delete;

  std::string open() override {
    if (auto refused = state_.take(upgrade_); !refused.empty()) return refused;
    return records_.open(known_);
  }

  void adopt(RoomNumber room, const Launch& launch, Handlers handlers) override {
    add(room, launch, std::move(handlers));
    const auto record = known_.find(launch.object);
    if (record == known_.end()) {
      return perform(HookEnded{room,
                               {.kind = GameEnd::Kind::not_started,
                                .blameless = true,
                                .how = "its worker ended before it was started"}});
    }
    step([&](HookActions& out) {
      rooms_.adopt(room, launch.object, list_of(record->second), record->second.place, steady_now(),
                   out);
    });
  }
  void end_others() override {
    step([&](HookActions& out) {
      for (const auto& [object, record] : known_) {
        if (!rooms_.knows(object)) rooms_.end_other(object, list_of(record), steady_now(), out);
      }
    });
  }

  void start(RoomNumber room, const Launch& launch, Handlers handlers) override {
    add(room, launch, std::move(handlers));
    if (launch.object.empty() || launch.stop_command.empty() || launch.list_command.empty()) {
      return perform(
          HookEnded{room, {.kind = GameEnd::Kind::not_started, .how = "its hook lacks a command"}});
    }
    // If an earlier object has this name, its record remains.
    known_.try_emplace(launch.object, record_of(launch));
    step([&](HookActions& out) {
      rooms_.start(room, launch.object, list_of(known_.at(launch.object)), steady_now(), out);
    });
  }
  void ask_to_end(RoomNumber room) override { end(room, false); }
  void kill(RoomNumber room) override { end(room, true); }

  [[nodiscard]] std::size_t running() const override { return games_.size(); }
  [[nodiscard]] std::size_t waiting() const override { return rooms_.waiting(); }
  [[nodiscard]] std::string problem_of(const std::vector<std::string>& command) const override {
    if (command.empty()) return "no command";
    return process::find_program(command.front(), folders_).problem;
  }

  void leave() override {
    stopped_ = true;
    games_.clear();
    commands_.reset();
    timer_.reset();
  }
  void stop() override { end_all(); }

 private:
  struct Game {
    Launch launch;
    Handlers handlers;
  };

  static HookRecord record_of(const Launch& launch) {
    HookRecord record{.stop = launch.stop_command,
                      .list = launch.list_command,
                      .environment = without_secrets(launch.game.environment),
                      .limit = launch.command_limit,
                      .place = {}};
    record.stop.push_back(launch.object);
    record.environment.push_back("FIXKEEP_OBJECT=" + launch.object);
    return record;
  }
  // Returns the name of an object's list command and stores the command under that name.
  std::string list_of(const HookRecord& record) {
    auto key = key_of(record.list);
    lists_.try_emplace(key, record);
    return key;
  }

  void add(RoomNumber room, const Launch& launch, Handlers handlers) {
    const bool fresh = games_.emplace(room, Game{launch, std::move(handlers)}).second;
    FIXKEEP_ASSERT(fresh, std::to_string(room.number()));
  }
  void end(RoomNumber room, bool kill) {
    const auto game = games_.find(room);
    if (game == games_.end()) return;
    step(
        [&](HookActions& out) { rooms_.end(game->second.launch.object, kill, steady_now(), out); });
  }

  template <class Event>
  void step(Event event) {
    if (!commands_) return;
    HookActions actions;
    event(actions);
    for (HookAction& action : actions) {
      std::visit([this](auto& wanted) { this->perform(std::move(wanted)); }, action);
    }
    look_later();
  }
  void look_later() {
    const TimePoint next = rooms_.next_tick();
    if (next == TimePoint::max()) return;
    timer_->expires_at(net::to_steady(next));
    timer_->async_wait([this, known = std::weak_ptr{alive_}](boost::system::error_code error) {
      if (error || known.expired()) return;
      step([this](HookActions& out) { rooms_.pass_time(steady_now(), out); });
    });
  }

  void run(const std::vector<std::string>& words, std::vector<std::string> environment,
           std::chrono::milliseconds limit, HookCommands::Done done) {
    const std::string name = words.empty() ? "" : words.front();
    const auto program = process::find_program(name, folders_).path;
    commands_->run({.program = program.empty() ? name : program,
                    .words = words,
                    .environment = std::move(environment),
                    .limit = limit},
                   [known = std::weak_ptr{alive_}, done = std::move(done)](const auto& answer) {
                     if (!known.expired()) done(answer);
                   });
  }

  void perform(RunStart&& wanted) {
    const auto game = std::find_if(games_.begin(), games_.end(), [&](const auto& each) {
      return each.second.launch.object == wanted.object;
    });
    FIXKEEP_ASSERT(game != games_.end(), wanted.object);
    const Launch& launch = game->second.launch;
    auto environment = launch.game.environment;
    environment.push_back("FIXKEEP_OBJECT=" + wanted.object);
    run(launch.game.command, std::move(environment), launch.command_limit,
        [this, object = wanted.object](const HookAnswer& answer) {
          step([&](HookActions& out) { rooms_.started(object, answer, steady_now(), out); });
        });
  }
  void perform(RunStop&& wanted) {
    const HookRecord& record = known_.at(wanted.object);
    auto environment = record.environment;
    environment.push_back(wanted.kill ? "FIXKEEP_STOP=kill" : "FIXKEEP_STOP=ask");
    run(record.stop, std::move(environment), record.limit,
        [this, object = wanted.object](const HookAnswer& answer) {
          complain("the stop of a room failed", object, answer);
          step([&](HookActions& out) { rooms_.stopped(object, answer, steady_now(), out); });
        });
  }
  void perform(RunList&& wanted) {
    const HookRecord& record = lists_.at(wanted.list);
    run(record.list, of_no_room(record.environment), record.limit,
        [this, list = wanted.list, first = record.list.front()](const HookAnswer& answer) {
          complain("rooms cannot be listed", first, answer);
          step([&](HookActions& out) { rooms_.listed(list, answer, steady_now(), out); });
        });
  }
  void perform(RecordObject&& wanted) {
    HookRecord& record = known_.at(wanted.object);
    record.place = std::move(wanted.place);
    const auto problem = records_.write(wanted.object, record);
    if (!problem.empty()) complaints_.tell("cannot record a room", wanted.object, problem);
  }
  void perform(ForgetObject&& wanted) {
    records_.remove(wanted.object);
    known_.erase(wanted.object);
  }
  void perform(HookPlaced&& told) {
    const auto game = games_.find(told.room);
    if (game == games_.end()) return;
    const Handlers handlers = game->second.handlers;
    if (handlers.placed) handlers.placed(told.place);
    if (told.begins && handlers.begun) handlers.begun();
  }
  // Posted, so that a caller's own call never calls its handler.
  void perform(HookEnded&& told) {
    asio::post(context_, [this, known = std::weak_ptr{alive_}, told = std::move(told)] {
      if (known.expired()) return;
      const auto game = games_.extract(told.room);
      if (!game.empty() && game.mapped().handlers.ended) game.mapped().handlers.ended(told.end);
    });
  }

  void complain(const std::string& what, const std::string& about, const HookAnswer& answer) {
    if (!answer.problem.empty()) complaints_.tell(what, about, answer.problem);
  }

  // The io_context no longer runs here, so the commands get their own. An object that does not end
  // within the limit has a record: the next run ends it.
  void end_all() {
    if (std::exchange(stopped_, true)) return;
    asio::io_context own{1};
    const auto before = std::exchange(commands_, std::make_unique<HookCommands>(own));
    timer_ = std::make_unique<asio::steady_timer>(own);
    step([this](HookActions& out) {
      for (const auto& [room, game] : games_)
        rooms_.end(game.launch.object, true, steady_now(), out);
    });
    games_.clear();
    before->cut_off();
    const auto until = std::chrono::steady_clock::now() + stops_limit;
    while (rooms_.any() && std::chrono::steady_clock::now() < until) {
      own.restart();
      own.run_one_for(std::chrono::milliseconds{50});
    }
    commands_.reset();
    timer_.reset();
  }

  asio::io_context& context_;
  StateFolder state_;
  bool upgrade_;
  std::vector<std::string> folders_;
  HookRecords records_{state_.path() + "/hook"};
  HookRooms rooms_;
  std::map<std::string, HookRecord, std::less<>> known_;  // all objects that may be ours
  std::map<std::string, HookRecord> lists_;               // key: the command's name
  std::map<RoomNumber, Game> games_;
  std::unique_ptr<HookCommands> commands_;
  std::unique_ptr<asio::steady_timer> timer_;
  Complaints complaints_{"object"};
  bool stopped_ = false;
  std::shared_ptr<char> alive_ = std::make_shared<char>();
};

}  // namespace

std::shared_ptr<GameRunner> make_hook_runner(asio::io_context& context,
                                             const RunnerOptions& options) {
  return make_hook_runner_with(context, options, {});
}

std::shared_ptr<GameRunner> make_hook_runner_with(asio::io_context& context,
                                                  const RunnerOptions& options,
                                                  const HookOptions& hook) {
  return std::make_shared<HookRunner>(context, options, hook);
}

}  // namespace fixkeep::worker
