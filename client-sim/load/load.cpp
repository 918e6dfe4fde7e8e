#include "client-sim/load/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <csignal>
#include <optional>

#include "client-sim/load/crowd.hpp"
#include "client-sim/load/own_lateness.hpp"
#include "client-sim/load/rest.hpp"
#include "client-sim/load/room_book.hpp"
#include "client-sim/load/survey.hpp"
#include "common/net/coroutines.hpp"

namespace fixkeep::client_sim {

namespace asio = boost::asio;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds progress_every{100};
constexpr milliseconds rest_poll{100};
constexpr milliseconds idle_connect_limit{1000};
// While changes are on their way, the masters' views may agree with the players by chance.
// Therefore the views must agree in two samples in a row.
constexpr int agree_twice = 2;
// Bound of the sightings stored for the judge of a churn run, over all samples: about 60 MB.
constexpr std::size_t most_sightings = 5'000'000;

class Load {
 public:
  Load(asio::io_context& context, const Workload& workload, const LoadOptions& options)
      : context_(context),
        workload_(workload),
        options_(options),
        incidents_left_(options.incidents.size()) {}

  asio::awaitable<void> run() {
    const auto& admins = options_.admin.masters;
    survey_.emplace(context_.get_executor(), admins.empty() ? options_.masters : admins,
                    options_.admin.token);
    if (!co_await look_before()) co_return;

    co_await open_idle_connections();
    crowd_.emplace(context_.get_executor(), workload_, options_, book_);
    if (options_.preconnect && options_.arrival == Arrival::burst) {
      co_await crowd_->preconnect();
    }
    result_.seen.began =
        std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
    crowd_->account_for(lateness_);
    crowd_->start_clock();
    lateness_.begin(Clock::now());
    asio::co_spawn(context_, measure_lateness(), net::rethrow);
    sampling_ = true;
    asio::co_spawn(context_, sample(), net::rethrow);
    asio::co_spawn(context_, show_progress(), net::rethrow);
    asio::co_spawn(context_, cause_incidents(), net::rethrow);
    co_await crowd_->play();
    result_.seen.load_ms = crowd_->now_ms();
    over_ = true;
    // The survey sends one request at a time to each master, so the last sample waits until the
    // sampler has finished. It also waits for the incidents that are left.
    asio::steady_timer timer{context_};
    while (sampling_ || incidents_left_ > 0) {
      timer.expires_after(milliseconds{2});
      co_await timer.async_wait(net::use_tuple);
    }
    co_await take_sample();
    book_.load_is_over();
    collect();
    if (options_.arrival != Arrival::churn) {
      result_.seen.while_seated = co_await come_to_rest(inside_at_end(result_.seen));
    }
    crowd_->leave_all();
    result_.seen.after_leaving = co_await come_to_rest({});
    co_await look_after();
    collect();
  }

  LoadResult take() {
    if (crowd_) collect();
    return std::move(result_);
  }

 private:
  // Opens one connection after another: about ten thousand a second on loopback.
  asio::awaitable<void> open_idle_connections() {
    const auto& masters = options_.masters;
    for (std::size_t number = 0; number < options_.idle_connections; ++number) {
      auto client =
          std::make_unique<HttpClient>(context_.get_executor(), masters[number % masters.size()]);
      const auto made = co_await client->connect(idle_connect_limit);
      if (made) idle_.push_back(std::move(client));
    }
    result_.seen.idle_connections = idle_.size();
  }

  asio::awaitable<bool> look_before() {
    bool any = false;
    for (std::size_t master = 0; master < survey_->masters(); ++master) {
      const auto rooms = co_await survey_->rooms(master);
      const auto workers = co_await survey_->workers(master);
      const auto locks = co_await survey_->locks(master);
      if (locks) {
        locks_before_.push_back(*locks);
        result_.strategy = locks->strategy;
      }
      if (!rooms || !workers) continue;
      any = true;
      for (const auto& room : *rooms) book_.existed(room);
      for (const auto& worker : *workers) {
        auto& started = started_before_[worker.id];
        started = std::max(started, worker.rooms_started);
      }
    }
    result_.workers = started_before_.size();
    if (!any) {
      result_.failure = fmt::format(
          "no master answers GET /v1/rooms and GET /v1/workers ({}); where operators have a "
          "listener of their own, give --admin and --admin-token-file",
          survey_->trouble());
    }
    co_return any;
  }

  asio::awaitable<void> look_after() {
    std::map<std::string, std::uint64_t> started_after;
    std::vector<LockReport> locks_after;
    for (std::size_t master = 0; master < survey_->masters(); ++master) {
      const auto workers = co_await survey_->workers(master);
      const auto locks = co_await survey_->locks(master);
      if (locks) locks_after.push_back(*locks);
      if (!workers) continue;
      for (const auto& worker : *workers) {
        auto& started = started_after[worker.id];
        started = std::max(started, worker.rooms_started);
      }
    }
    for (const auto& [worker, after] : started_after) {
      const auto before = started_before_[worker];
      result_.seen.rooms_started += after >= before ? after - before : after;
    }
    result_.locks = merge_locks(locks_before_, locks_after);
  }

  asio::awaitable<void> take_sample() {
    const auto rooms = co_await survey_->rooms_of_all();
    if (!rooms) co_return;
    const bool keep = options_.arrival == Arrival::churn && sightings_ < most_sightings;
    sightings_ += keep ? rooms->size() : 0;
    book_.sampled(crowd_->now_ms(), *rooms, keep);
  }

  asio::awaitable<void> sample() {
    asio::steady_timer timer{context_};
    auto next = Clock::now();
    while (!over_) {
      const auto began = Clock::now();
      co_await take_sample();
      const auto spent = Clock::now() - began;
      // Sampling takes at most a tenth of the time, even with slow masters.
      next = std::max<Clock::time_point>(next + options_.sample_every, Clock::now() + 9 * spent);
      while (!over_ && Clock::now() < next) {
        timer.expires_at(std::min(next, Clock::now() + milliseconds{20}));
        co_await timer.async_wait(net::use_tuple);
      }
    }
    sampling_ = false;
  }

  asio::awaitable<void> measure_lateness() {
    asio::steady_timer timer{context_};
    while (!over_) {
      timer.expires_at(lateness_.next());
      co_await timer.async_wait(net::use_tuple);
      if (!over_) lateness_.tick(Clock::now());
    }
  }

  asio::awaitable<void> cause_incidents() {
    asio::steady_timer timer{context_};
    const auto start = Clock::now();
    for (const auto& incident : options_.incidents) {
      timer.expires_at(start + incident.at);
      co_await timer.async_wait(net::use_tuple);
      incident.happen();
      --incidents_left_;
    }
  }

  asio::awaitable<void> show_progress() {
    asio::steady_timer timer{context_};
    while (!over_ && options_.on_progress) {
      report_progress();
      timer.expires_after(progress_every);
      co_await timer.async_wait(net::use_tuple);
    }
    if (options_.on_progress) report_progress();
  }

  void report_progress() {
    auto progress = crowd_->progress();
    progress.rooms = book_.made();
    progress.elapsed_ms = crowd_->now_ms();
    options_.on_progress(progress);
  }

  // Waits until the views of all answering masters agree with `inside`, but at most for
  // options_.rest.
  asio::awaitable<std::vector<RestingView>> come_to_rest(
      std::map<std::string, std::uint32_t> inside) {
    const auto end = Clock::now() + options_.rest;
    const auto before = taken_before(result_.seen);
    asio::steady_timer timer{context_};
    std::vector<RestingView> views;
    int agreed = 0;
    while (true) {
      views.clear();
      bool agree = true;
      for (std::size_t master = 0; master < survey_->masters(); ++master) {
        const auto& where = options_.masters[master];
        RestingView view{.master = to_string(where)};
        auto rooms = co_await survey_->rooms(master);
        view.answered = rooms.has_value();
        if (rooms) view.rooms = std::move(*rooms);
        if (rooms) agree = agree && seat_difference(view, inside, before).none();
        views.push_back(std::move(view));
      }
      agreed = agree ? agreed + 1 : 0;
      if (agreed >= agree_twice || Clock::now() >= end) co_return views;
      timer.expires_after(rest_poll);
      co_await timer.async_wait(net::use_tuple);
    }
  }

  void collect() {
    result_.seen.arrival = options_.arrival;
    result_.seen.capacity = options_.capacity;
    result_.seen.players = crowd_->records();
    result_.seen.rooms = book_.rooms();
    result_.seen.samples = book_.samples();
    result_.seen.own_lateness_ms = lateness_.all_ms();
  }

  asio::io_context& context_;
  const Workload& workload_;
  const LoadOptions& options_;
  RoomBook book_;
  std::optional<Survey> survey_;
  OwnLateness lateness_;
  std::vector<std::unique_ptr<HttpClient>> idle_;
  std::optional<Crowd> crowd_;
  LoadResult result_;
  std::map<std::string, std::uint64_t> started_before_;
  std::vector<LockReport> locks_before_;
  std::size_t sightings_ = 0;
  std::size_t incidents_left_;
  bool over_ = false;
  bool sampling_ = false;
};

}  // namespace

LoadResult run_load(const Workload& workload, const LoadOptions& options) {
  bool interrupted = false;
  asio::io_context context{1};
  // The load is destroyed before the context. After an interruption, the context's destructor
  // destroys the suspended coroutines. They refer only to the context, not to the load.
  Load load{context, workload, options};
  asio::signal_set signals{context, SIGINT, SIGTERM};
  signals.async_wait([&](boost::system::error_code error, int) {
    if (error) return;
    interrupted = true;
    context.stop();
  });
  auto finish = [&](std::exception_ptr error) {
    net::rethrow(error);
    signals.cancel();
  };
  asio::co_spawn(context, load.run(), finish);
  context.run();
  auto result = load.take();
  result.interrupted = interrupted;
  return result;
}

}  // namespace fixkeep::client_sim
