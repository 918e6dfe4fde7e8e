#include "worker/runner/hook/hook_engine.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include <boost/asio/steady_timer.hpp>

#include "common/net/steady_clock.hpp"
#include "common/process/program.hpp"
#include "worker/runner/complaints.hpp"
#include "worker/runner/engine/engine_runner.hpp"
#include "worker/runner/hook/hook_records.hpp"
#include "worker/runner/state_folder.hpp"

namespace fixkeep::worker {
namespace {

namespace asio = boost::asio;
using namespace engine;
using net::steady_now;
using Done = std::function<void(const Answer& answer)>;

constexpr std::chrono::seconds stops_limit{10};
constexpr int lists_without = 2;
constexpr int without_end = std::numeric_limits<int>::max() / 2;
constexpr auto closed_early = "it was closed before it began";

// Commands get the configured environment and the room's name. They get none of the room's secrets,
// because only the room's game needs them.
std::vector<std::string> without_secrets(std::vector<std::string> environment) {
  std::erase_if(environment, [](const std::string& each) {
    const bool ours = each.starts_with("FIXKEEP_") || each.starts_with("AGONES_");
    return ours && !each.starts_with("FIXKEEP_ROOM_ID=") && !each.starts_with("FIXKEEP_MODE=");
  });
  return environment;
}
std::vector<std::string> of_no_room(std::vector<std::string> environment) {
  std::erase_if(environment, [](const std::string& each) { return each.starts_with("FIXKEEP_"); });
  return environment;
}

std::vector<std::string> with(std::vector<std::string> words, const std::string& last) {
  words.push_back(last);
  return words;
}

HookRecord record_of(const Launch& launch) {
  const auto environment = without_secrets(launch.game.environment);
  return {.stop = with(launch.stop_command, launch.object),
          .list = launch.list_command,
          .environment = with(environment, "FIXKEEP_OBJECT=" + launch.object),
          .limit = launch.command_limit,
          .place = {}};
}

Answer shows(const Sight& sight) {
  return {.kind = Answer::Kind::done, .sight = sight};
}
Answer refused(const std::string& why, bool may_run) {
  return {.kind = Answer::Kind::refused, .why = why, .may_run = may_run};
}

class HookEngine final : public Engine {
 public:
  HookEngine(asio::io_context& context, const RunnerOptions& options, HookOptions hook)
      : context_(context),
        options_(std::move(hook)),
        folders_(process::program_folders()),
        records_(state_folder_of(options) + "/hook") {
    begin_anew(context);
  }

  [[nodiscard]] Traits traits() override {
    return {.object = "room", .has_output = false, .starts_at_once = without_end};
  }
  std::string open(News news) override {
    news_ = std::move(news);
    std::map<std::string, HookRecord, std::less<>> found;
    auto refused = records_.open(found);
    for (const auto& [name, record] : found) know(name, record, Stage::found);
    return refused;
  }
  // Begins to remove the objects that were not adopted. Returns no names, because the caller need
  // not wait for these objects.
  std::vector<std::string> earlier() override {
    for (const auto& [name, known] : known_) {
      if (known.stage == Stage::found) sweep(name, options_.first_pause);
    }
    go_on();
    return {};
  }
  void close() override { begin_anew(context_); }

  Order order(const Launch& launch, GameRunner::Handlers handlers) override {
    Order order{object_of(launch, std::move(handlers))};
    if (launch.object.empty() || launch.game.command.empty() || launch.stop_command.empty() ||
        launch.list_command.empty()) {
      order.end = never_ran("its hook lacks a command", false);
    } else if (known_.contains(launch.object)) {
      order.end = never_ran("an earlier " + launch.object + " has not ended yet", true);
    } else {
      know(launch.object, record_of(launch), Stage::fresh);
    }
    return order;
  }
  Order adopt(const Launch& launch, GameRunner::Handlers handlers) override {
    Order order{object_of(launch, std::move(handlers))};
    if (!known_.contains(launch.object)) {
      order.end = never_ran("its worker ended before it was started", true);
    }
    return order;
  }
  void gone(const Object& object) override { let_go(object.name); }

  void ask(const ObjectPtr& object, const Call& call, Done done) override {
    if (call.ask == Ask::look) {
      look(object->name, std::move(done));
    } else if (call.ask == Ask::make) {
      make(object, std::move(done));
    } else {  // never read_log, because no sight contains a game's end
      stop(object->name, call.hard || call.ask == Ask::remove, std::move(done));
    }
    go_on();
  }
  void remove_stray(const Shown& object) override { sweep(object.name, options_.first_pause); }
  // The io_context no longer runs here, so the commands get an io_context of their own. If an
  // object does not end within the limit, its record remains, and the next run ends it.
  std::size_t remove_and_wait(const std::vector<std::string>& names, bool) override {
    if (names.empty()) return 0;
    asio::io_context own{1};
    begin_anew(own);
    for (const std::string& name : names) {
      if (known_.at(name).stage != Stage::fresh) sweep(name, options_.first_pause);
    }
    go_on();
    const auto until = std::chrono::steady_clock::now() + stops_limit;
    while (!swept_.empty() && std::chrono::steady_clock::now() < until) {
      own.restart();
      own.run_one_for(std::chrono::milliseconds{50});
    }
    const auto left = swept_.size();
    begin_anew(context_);
    return left;
  }

  [[nodiscard]] std::string problem_of(const std::vector<std::string>& command) const override {
    if (command.empty()) return "no command";
    return process::find_program(command.front(), folders_).problem;
  }

 private:
  enum class Stage : std::uint8_t {
    fresh,     // was not started and has no record
    found,     // an earlier run has recorded it
    unlisted,  // is being started or stopped: lists decide nothing about it
    running,
    asked,     // was asked to end
    given_up,  // no list contained the object; if it appears later, it is stopped
  };
  enum class Job : std::uint8_t { stop, start };  // stops go first
  struct Known {                                  // an object that may be ours
    HookRecord record;
    Stage stage = Stage::fresh;
    int missed = 0;         // consecutive lists without the object
    TimePoint forget_at{};  // only for Stage::given_up
  };
  using Listed = std::function<void(const std::string& problem, bool is_there)>;
  struct List {
    HookRecord from;                                        // contains the list command
    std::vector<std::pair<std::string, Listed>> waiting{};  // room, call after the next list
    bool is_running = false;
    // End of the last list. Before the first list: long ago, even if the machine has just started.
    TimePoint last{-std::chrono::hours{1}};
    Duration pause{};
  };

  ObjectPtr object_of(Launch launch, GameRunner::Handlers handlers) {
    launch.alone = std::chrono::milliseconds::max();
    ObjectTraits traits{.kind = "room",
                        .engine = "the hook",
                        .name = launch.object,
                        .most_looks = without_end,
                        .longest_pause = options_.longest_pause,
                        .gone = "it is not listed any more"};
    return std::make_shared<Object>(context_, std::move(launch), std::move(handlers),
                                    std::move(traits));
  }

  // --- calls

  // The first look at an object of an earlier run is answered from its record, without a list.
  void look(const std::string& name, Done done) {
    Known& known = known_.at(name);
    Sight there{.state = Sight::State::running, .place = known.record.place};
    if (known.stage != Stage::found) {
      return list(name, [done, there](const auto& problem, bool is_there) {
        if (!problem.empty()) return done({.why = problem});
        done(shows(is_there ? there : Sight{}));
      });
    }
    known.stage = there.place ? Stage::running : Stage::unlisted;
    if (!there.place) {
      there.state = Sight::State::broken;
      there.why = "its worker ended before its start had answered";
    }
    later({}, [done, there] { done(shows(there)); });
  }

  void make(const ObjectPtr& object, Done done) {
    const std::string& name = object->name;
    list(name, [this, object, name, done](const auto& problem, bool is_there) {
      if (!problem.empty()) return done(refused("cannot list rooms: " + problem, false));
      if (is_there)
        return done(refused("there is a " + name + " already, and it is not ours", false));
      jobs_.emplace(Job::start, [this, object, done] { start(object, done); });
    });
  }
  void start(const ObjectPtr& object, const Done& done) {
    if (!object->life.is_wanted()) return done(refused(closed_early, false));
    known_.at(object->name).stage = Stage::unlisted;
    write(object->name);
    const Launch& launch = object->launch;
    run(launch.game.command, with(launch.game.environment, "FIXKEEP_OBJECT=" + object->name),
        launch.command_limit, [this, object, done](const HookAnswer& answer) {
          auto place = parse_place(first_line(answer.output));
          if (!answer.problem.empty()) place = answer.problem;
          if (!object->life.is_wanted()) place = closed_early;
          if (place.index() == 1) return done(refused(std::get<std::string>(place), true));
          Known& known = known_.at(object->name);
          known.record.place = std::get<wire::RoomPlace>(std::move(place));
          known.stage = Stage::running;
          write(object->name);
          done(shows({.state = Sight::State::running, .place = known.record.place}));
        });
  }

  // The answer to a kill is never Kind::done, even if the command succeeds: only a look shows that
  // the room is gone.
  void stop(const std::string& name, bool kill, Done done) {
    Known& known = known_.at(name);
    known.stage = kill ? Stage::unlisted : Stage::asked;
    jobs_.emplace(Job::stop, [this, name, kill, record = known.record, done = std::move(done)] {
      const auto how = kill ? "FIXKEEP_STOP=kill" : "FIXKEEP_STOP=ask";
      run(record.stop, with(record.environment, how), record.limit,
          [this, name, kill, done](const HookAnswer& answer) {
            complain("the stop of a room failed", name, answer.problem);
            const bool is_done = !kill && answer.problem.empty();
            done({is_done ? Answer::Kind::done : Answer::Kind::lost, answer.problem});
          });
    });
  }

  // --- objects that EngineRunner does not know

  void sweep(const std::string& name, Duration pause) {
    swept_.insert(name);
    stop(name, true, [this, name, pause](const Answer&) {
      list(name, [this, name, pause](const auto& problem, bool is_there) {
        if (problem.empty() && !is_there) return let_go(name);
        later(pause, [this, name, pause] { sweep(name, grown(pause)); });
      });
    });
  }
  // Called when a list does not contain the object. If its start was given up, the start may still
  // make its room, so the object is remembered for a while.
  void let_go(const std::string& name) {
    swept_.erase(name);
    Known& known = known_.at(name);
    if (known.stage == Stage::fresh || known.record.place) return forget(name);
    known.stage = Stage::given_up;
    known.forget_at = steady_now() + options_.remembered;
    given_up_.push_back(name);
    if (given_up_.size() <= options_.most_remembered) return;
    const auto oldest = known_.find(given_up_.front());
    given_up_.pop_front();
    if (oldest != known_.end() && oldest->second.stage == Stage::given_up) forget(oldest->first);
  }
  void know(const std::string& name, const HookRecord& record, Stage stage) {
    lists_.try_emplace(record.list, List{.from = record});
    known_[name] = {.record = record, .stage = stage};
  }
  void forget(const std::string& name) {
    records_.remove(name);
    known_.erase(known_.find(name));
  }
  void write(const std::string& name) {
    complain("cannot record a room", name, records_.write(name, known_.at(name).record));
  }

  // --- lists

  // Calls `listed` with the result of a list command that begins after this call.
  void list(const std::string& name, Listed listed) {
    lists_.at(known_.at(name).record.list).waiting.emplace_back(name, std::move(listed));
  }
  static bool is_judged(const Known& known, const List& list) {
    return known.stage >= Stage::running && known.record.list == list.from.list;
  }
  [[nodiscard]] TimePoint next_look(const List& list) const {
    if (list.is_running) return TimePoint::max();
    if (!list.waiting.empty()) return list.last + list.pause;
    TimePoint next = TimePoint::max();
    for (const auto& [object, known] : known_) {
      if (!is_judged(known, list)) continue;
      const bool is_asked = known.stage == Stage::asked;
      const auto every = is_asked ? options_.look_for_the_end_every : options_.look_every;
      next = std::min(next, list.last + std::max(every, list.pause));
    }
    return next;
  }
  // The list will decide only about objects that exist now: objects that are made while it runs may
  // be missing in it.
  void begin(List& list) {
    for (const auto& [name, known] : known_) {
      if (!is_judged(known, list)) continue;
      list.waiting.emplace_back(name, [this, each = name](const auto& problem, bool is_there) {
        if (problem.empty()) judge(each, is_there);
      });
    }
    list.is_running = true;
    auto done = [this, &list, served = std::exchange(list.waiting, {})](const auto& answer) {
      complain("rooms cannot be listed", list.from.list.front(), answer.problem);
      list.is_running = false;
      list.last = steady_now();
      list.pause = answer.problem.empty() ? Duration{0} : grown(list.pause);
      const auto names = parse_names(answer.output);
      for (const auto& [name, listed] : served) listed(answer.problem, names.contains(name));
    };
    run(list.from.list, of_no_room(list.from.environment), list.from.limit, std::move(done), 0);
  }
  void judge(const std::string& name, bool is_there) {
    const auto found = known_.find(name);
    if (found == known_.end() || found->second.stage < Stage::running) return;
    Known& known = found->second;
    if (known.stage == Stage::given_up) {
      if (is_there) return news_.appeared({name, {.state = Sight::State::running}});
      if (known.forget_at <= steady_now()) forget(name);
      return;
    }
    known.missed = is_there ? 0 : known.missed + 1;
    const bool has_ended = known.missed >= (known.stage == Stage::asked ? 1 : lists_without);
    if (has_ended) news_.shown({name, {}});
  }

  // --- commands

  // Returns a handler that passes its answer to `call` and then begins the next commands. After
  // begin_anew() the handler does nothing.
  template <class Call>
  auto answered(Call call) {
    return [this, known = std::weak_ptr{alive_}, call = std::move(call)](const auto& answer) {
      if (known.expired()) return;
      call(answer);
      go_on();
    };
  }
  void run(const std::vector<std::string>& words, std::vector<std::string> environment,
           std::chrono::milliseconds limit, HookCommands::Done done, std::size_t places = 1) {
    busy_ += places;
    const auto program = process::find_program(words.front(), folders_).path;
    const HookCommand command{.program = program.empty() ? words.front() : program,
                              .words = words,
                              .environment = std::move(environment),
                              .limit = limit};
    auto heard = answered([this, places, done = std::move(done)](const HookAnswer& answer) {
      busy_ -= places;
      done(answer);
    });
    options_.run ? options_.run(command, std::move(heard))
                 : commands_->run(command, std::move(heard));
  }
  void go_on() {
    while (busy_ < options_.at_once && !jobs_.empty()) jobs_.extract(jobs_.begin()).mapped()();
    TimePoint next = TimePoint::max();
    for (auto& [name, list] : lists_) {
      if (next_look(list) <= steady_now()) begin(list);
      next = std::min(next, next_look(list));
    }
    if (next >= wakes_at_) return;
    wakes_at_ = next;
    later(next - steady_now(), [this, next] {
      if (wakes_at_ == next) wakes_at_ = TimePoint::max();
    });
  }
  void later(Duration pause, std::function<void()> what) {
    const auto timer = std::make_shared<asio::steady_timer>(*runs_in_, pause);
    timer->async_wait(answered([timer, what = std::move(what)](auto) { what(); }));
  }
  [[nodiscard]] Duration grown(Duration pause) const {
    return std::clamp(pause * 2, options_.first_pause, options_.longest_pause);
  }
  void complain(const std::string& what, const std::string& about, const std::string& problem) {
    if (!problem.empty()) complaints_.tell(what, about, problem);
  }
  // Kills the running commands and forgets all calls.
  void begin_anew(asio::io_context& context) {
    alive_ = std::make_shared<char>();
    commands_ = std::make_unique<HookCommands>(context);
    runs_in_ = &context;
    wakes_at_ = TimePoint::max();
    busy_ = 0;
    swept_.clear();
    jobs_.clear();
    for (auto& [name, list] : lists_) list = {.from = std::move(list.from)};
  }

  asio::io_context& context_;
  HookOptions options_;
  std::vector<std::string> folders_;
  HookRecords records_;
  News news_;
  std::map<std::string, Known, std::less<>> known_;
  std::deque<std::string> given_up_;                // the oldest first
  std::set<std::string> swept_;                     // being removed, unknown to EngineRunner
  std::map<std::vector<std::string>, List> lists_;  // key: the command
  std::size_t busy_ = 0;                            // running commands for objects
  std::multimap<Job, std::function<void()>> jobs_;  // the next commands for objects
  asio::io_context* runs_in_ = nullptr;
  std::unique_ptr<HookCommands> commands_;
  TimePoint wakes_at_ = TimePoint::max();
  Complaints complaints_{"object"};
  std::shared_ptr<char> alive_;  // expires when answers are no longer wanted
};

}  // namespace

std::shared_ptr<GameRunner> make_hook_runner(asio::io_context& context,
                                             const RunnerOptions& options,
                                             const HookOptions& hook) {
  return make_engine_runner(context, options, std::make_unique<HookEngine>(context, options, hook));
}

}  // namespace fixkeep::worker
