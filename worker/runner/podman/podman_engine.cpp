#include "worker/runner/podman/podman_engine.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <utility>

#include "common/net/http/pool.hpp"
#include "common/obs/log.hpp"
#include "worker/runner/engine/engine_runner.hpp"
#include "worker/runner/podman/podman_texts.hpp"

namespace fixkeep::worker::podman {
namespace {

using engine::Answer;
using engine::Ask;
using engine::Call;
using engine::ObjectPtr;
using engine::Shown;
using engine::Sight;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds limit{30};
constexpr std::chrono::minutes pull_limit{30};
constexpr seconds rest_of_image{30};
constexpr std::string_view output = "/logs?stdout=true&stderr=true";

std::string usual_socket() {
  const char* const folder = std::getenv("XDG_RUNTIME_DIR");
  if (::geteuid() == 0 || folder == nullptr) return "/run/podman/podman.sock";
  return std::string{folder} + "/podman/podman.sock";
}

bool is_good(const net::HttpPool::Answer& answer) {
  return answer.status / 100 == 2;
}

class PodmanEngine : public engine::Engine, public LocalRooms {
 public:
  PodmanEngine(boost::asio::io_context& context, const RunnerOptions& options)
      : context_(context),
        owner_{options.cluster, options.worker.text(), options.address},
        images_(options.images),
        starts_(options.starts_at_once),
        socket_(options.engine_socket.empty() ? usual_socket() : options.engine_socket),
        again_(context) {}

  Traits traits() override {
    Traits traits{.wants_ports = true, .local = this};
    if (starts_ > 0) traits.starts_at_once = starts_;
    return traits;
  }

  std::string open(News news) override {
    news_ = std::move(news);
    const auto listed = ask_and_wait({"GET", list_target(owner_)});
    const auto all = is_good(listed) ? list_in(listed.body) : std::nullopt;
    if (!all) return "cannot use Podman at " + socket_ + ": " + objection_in(listed.body);
    for (const Shown& each : *all) {
      if (each.sight.owner == owner_.text()) earlier_.push_back(each.name);
    }
    pool_ = std::make_unique<net::HttpPool>(context_, http());
    for (const std::string& image : images_) want(image);
    watch();
    return {};
  }
  std::vector<std::string> earlier() override { return earlier_; }
  void close() override {
    again_.cancel();
    pool_.reset();
  }

  Order order(const Launch& launch, GameRunner::Handlers handlers) override {
    want(launch.container.image);
    return adopt(launch, std::move(handlers));
  }
  Order adopt(const Launch& launch, GameRunner::Handlers handlers) override {
    engine::ObjectTraits traits{.engine = "Podman", .name = launch.object, .owner = owner_.text()};
    return {std::make_shared<engine::Object>(context_, launch, std::move(handlers), traits)};
  }
  Readiness readiness(const engine::Object& object) const override {
    const auto found = pulls_.find(object.launch.container.image);
    if (found == pulls_.end()) return {};
    return {.is_coming = found->second.is_coming, .problem = found->second.problem};
  }

  void ask(const ObjectPtr& object, const Call& call,
           std::function<void(const Answer& answer)> done) override {
    const std::string& name = object->name;
    const auto simple = [done](const net::HttpPool::Answer& answer) {
      const auto kind = is_good(answer) ? Answer::Kind::done : Answer::Kind::lost;
      done({.kind = kind, .why = objection_in(answer.body)});
    };
    switch (call.ask) {
      case Ask::look: return look(name, std::move(done));
      case Ask::make: return make(object, std::move(done));
      case Ask::end: {
        const int signal = call.hard ? SIGKILL : object->launch.stop_signal;
        const auto rest = "/kill?signal=" + std::to_string(signal);
        return pool_->ask({"POST", container_target(name, rest)}, limit, simple);
      }
      case Ask::read_log:
        return pool_->ask({"GET", container_target(name, std::string{output} + "&tail=200")}, limit,
                          [done = std::move(done)](const net::HttpPool::Answer& answer) {
                            std::string log =
                                is_good(answer) ? OutputReader{}.take(answer.body) : std::string{};
                            done({.kind = Answer::Kind::done, .log = std::move(log)});
                          });
      case Ask::remove: {
        const std::string rest = call.hard ? "?volumes=true&force=true&timeout=0" : "?volumes=true";
        return pool_->ask({"DELETE", container_target(name, rest)}, limit, simple);
      }
    }
  }

  void stream(const ObjectPtr& object, std::function<bool(const std::string& piece)> piece,
              std::function<void()> done) override {
    const auto reader = std::make_shared<OutputReader>();
    pool_->stream(
        {"GET", container_target(object->name, std::string{output} + "&follow=true")}, limit,
        net::HttpClient::no_limit,
        {.piece = [reader, piece](const std::string& bytes) { return piece(reader->take(bytes)); },
         .done = [done](const auto&) { done(); }});
  }

  void remove_stray(const Shown& object) override {
    pool_->ask(removal(object.name), limit, [](const auto&) {});
  }
  std::size_t remove_and_wait(const std::vector<std::string>& names, bool more_may_come) override {
    std::size_t left = 0;
    for (int round = more_may_come ? 2 : 1; round > 0; --round) {
      left = 0;
      for (const std::string& name : names) {
        const auto answer = ask_and_wait(removal(name));
        if (!is_good(answer) && answer.status != 404) ++left;
      }
    }
    return left;
  }
  [[nodiscard]] std::string problem() const override { return away_; }

  [[nodiscard]] std::optional<std::vector<process::Descriptor>> listeners_of(
      const std::string&) override {
    return std::vector<process::Descriptor>{};
  }
  [[nodiscard]] std::string folder_of(const std::string&) const override {
    return std::string{room_folder};
  }

 private:
  struct Pull {
    bool is_coming = true;
    std::string problem;
    std::chrono::steady_clock::time_point ended{};
  };

  [[nodiscard]] net::HttpClientOptions http() const {
    return {.host = "localhost", .path = socket_, .trust = nullptr};
  }
  static net::HttpCall removal(const std::string& name) {
    return {"DELETE", container_target(name, "?volumes=true&force=true&timeout=0")};
  }
  net::HttpPool::Answer ask_and_wait(net::HttpCall call) const {
    boost::asio::io_context own;
    net::HttpPool pool{own, http()};
    net::HttpPool::Answer result;
    bool is_done = false;
    pool.ask(std::move(call), limit, [&](const net::HttpPool::Answer& answer) {
      result = answer;
      is_done = true;
    });
    while (!is_done && own.run_one() > 0) {}
    return result;
  }

  void want(const std::string& image) {
    const auto now = std::chrono::steady_clock::now();
    const auto [pull, is_new] = pulls_.try_emplace(image);
    if (!is_new && (pull->second.is_coming || pull->second.problem.empty() ||
                    now < pull->second.ended + rest_of_image)) {
      return;
    }
    pull->second = {};
    pool_->ask({"POST", pull_target(image)}, pull_limit,
               [this, image](const net::HttpPool::Answer& answer) {
                 const auto problem =
                     is_good(answer) ? pull_error_in(answer.body) : objection_in(answer.body);
                 if (!problem.empty()) {
                   obs::log_warning("no room of this image can start",
                                    {{"image", image}, {"error", problem}});
                 }
                 pulls_[image] = {false, problem, std::chrono::steady_clock::now()};
                 news_.changed();
               });
  }

  void look(const std::string& name, std::function<void(const Answer& answer)> done) {
    pool_->ask({"GET", container_target(name, "/json")}, limit,
               [done = std::move(done)](const net::HttpPool::Answer& answer) {
                 Answer told{.why = objection_in(answer.body)};
                 if (answer.status == 404) told.sight = Sight{};
                 if (is_good(answer)) told.sight = sight_in(answer.body);
                 if (told.sight) told.kind = Answer::Kind::done;
                 done(told);
               });
  }

  void make(const ObjectPtr& object, std::function<void(const Answer& answer)> done) {
    const bool is_made = object->life.sight().state == Sight::State::made;
    const auto answered = [done, is_made](const net::HttpPool::Answer& answer) {
      Answer told = make_answer(answer.status, answer.body);
      told.may_run = is_made;
      if (told.kind == Answer::Kind::done) {
        told.sight = Sight{.state = is_made ? Sight::State::running : Sight::State::made};
      }
      done(told);
    };
    if (is_made) {
      return pool_->ask({"POST", container_target(object->name, "/start")}, limit, answered);
    }
    net::HttpCall create{"POST", create_target()};
    create.fields = {{"Content-Type", "application/json"}};
    create.body = new_container(object->launch, owner_);
    pool_->ask(std::move(create), limit, answered);
  }

  void watch() {
    pool_->stream({"GET", events_target(owner_)}, limit, net::HttpClient::no_limit,
                  {.opened = [this] { list(); },
                   .piece = [this](const std::string& piece) { return heard(piece); },
                   .done = [this](const auto& answer) { lost(objection_in(answer.body)); }});
  }
  void list() {
    pool_->ask({"GET", list_target(owner_)}, limit, [this](const net::HttpPool::Answer& answer) {
      const auto all = is_good(answer) ? list_in(answer.body) : std::nullopt;
      if (!all) return lost(objection_in(answer.body));
      if (!away_.empty()) {
        away_.clear();
        news_.back();
      }
      news_.listed(*all);
    });
  }
  bool heard(const std::string& piece) {
    line_ += piece;
    for (auto end = line_.find('\n'); end != std::string::npos; end = line_.find('\n')) {
      const auto event = event_in(std::string_view{line_}.substr(0, end));
      line_.erase(0, end + 1);
      if (!event || event->object.sight.owner != owner_.text()) continue;
      (event->kind == Event::Kind::ended ? news_.ended : news_.appeared)(event->object);
    }
    return true;
  }
  void lost(const std::string& why) {
    line_.clear();
    if (away_.empty()) {
      away_ = why.empty() ? "it has closed the connection" : why;
      news_.away(away_);
    }
    again_.expires_after(seconds{1});
    again_.async_wait([this](boost::system::error_code error) {
      if (!error && pool_ != nullptr) watch();
    });
  }

  boost::asio::io_context& context_;
  Owner owner_;
  std::vector<std::string> images_;
  std::size_t starts_;
  std::string socket_;
  boost::asio::steady_timer again_;
  std::unique_ptr<net::HttpPool> pool_;
  News news_;
  std::vector<std::string> earlier_;
  std::map<std::string, Pull> pulls_;
  std::string away_;
  std::string line_;  // an event that is not complete yet
};

}  // namespace
}  // namespace fixkeep::worker::podman

namespace fixkeep::worker {

std::shared_ptr<GameRunner> make_podman_runner(boost::asio::io_context& context,
                                               const RunnerOptions& options) {
  return engine::make_engine_runner(context, options,
                                    std::make_unique<podman::PodmanEngine>(context, options));
}

}  // namespace fixkeep::worker
