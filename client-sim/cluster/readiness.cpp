#include "client-sim/cluster/readiness.hpp"

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <csignal>

#include "client-sim/load/survey.hpp"
#include "common/net/coroutines.hpp"

namespace fixkeep::client_sim {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::milliseconds poll{25};

asio::awaitable<void> look(asio::io_context& context, const std::vector<Endpoint>& masters,
                           const ReadyWith& wanted, const std::string& token, Readiness& state) {
  Survey survey{context.get_executor(), masters, token};
  asio::steady_timer timer{context};
  while (true) {
    std::string missing;
    for (std::size_t master = 0; master < masters.size(); ++master) {
      const auto name = "master at port " + std::to_string(masters[master].port);
      const bool ready = co_await survey.ready(master);
      if (!ready) {
        missing = name + " is not ready";
        break;
      }
      const auto rows = co_await survey.workers(master);
      if (!rows || rows->size() < wanted.workers) {
        missing =
            fmt::format("{} sees {} of {} workers", name, rows ? rows->size() : 0, wanted.workers);
        break;
      }
      const std::size_t warm = wanted.warm == 0 ? 0 : co_await survey.open_warm_rooms(master);
      if (warm < wanted.warm) {
        missing = fmt::format("{} sees {} of {} warm rooms", name, warm, wanted.warm);
        break;
      }
    }
    state.what_is_missing = missing;
    if (missing.empty()) {
      state.ready = true;
      context.stop();
      co_return;
    }
    timer.expires_after(poll);
    co_await timer.async_wait(net::use_tuple);
  }
}

}  // namespace

Readiness wait_for_readiness(const std::vector<Endpoint>& masters, const ReadyWith& wanted,
                             std::chrono::milliseconds limit, const std::string& token) {
  Readiness state;
  asio::io_context context{1};
  asio::signal_set signals{context, SIGINT, SIGTERM};
  signals.async_wait([&](boost::system::error_code error, int) {
    if (error) return;
    state.interrupted = true;
    context.stop();
  });
  asio::co_spawn(context, look(context, masters, wanted, token, state), net::rethrow);
  context.run_for(limit);
  return state;
}

}  // namespace fixkeep::client_sim
