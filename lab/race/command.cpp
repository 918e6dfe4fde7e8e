#include "lab/race/command.hpp"

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <ostream>

#include "client-sim/cluster/cluster.hpp"
#include "client-sim/cluster/ports.hpp"
#include "client-sim/comparison.hpp"
#include "common/net/coroutines.hpp"
#include "common/net/http/server.hpp"
#include "lab/race/page.hpp"
#include "lab/race/race.hpp"

namespace fixkeep::client_sim {

namespace {

namespace asio = boost::asio;

constexpr std::size_t page_connections = 64;
constexpr std::size_t page_body_bytes = 4096;

using Clusters = std::vector<std::unique_ptr<Cluster>>;

std::variant<std::unique_ptr<Cluster>, StartFailure> start_cluster(const Options& options,
                                                                   const std::string& lock,
                                                                   LockServers& servers,
                                                                   std::ostream& out) {
  out << "Starting a cluster with the lock \"" << lock << "\" …\n" << std::flush;
  if (auto failure = start_servers(lock, servers); !failure.empty()) {
    return StartFailure{.message = std::move(failure)};
  }
  return Cluster::start(cluster_options(options, lock, options.cluster.distances, servers));
}

// Starts one cluster for each lock. Returns an exit code.
int start_clusters(const Options& options, const std::vector<std::string>& locks,
                   LockServers& servers, Clusters& clusters, std::ostream& out, std::ostream& err) {
  for (const auto& lock : locks) {
    auto started = start_cluster(options, lock, servers, out);
    if (const auto* failure = std::get_if<StartFailure>(&started)) {
      if (failure->interrupted) return exit_interrupted;
      err << "The cluster could not be started: " << failure->message << '\n';
      return exit_no_cluster;
    }
    clusters.push_back(std::move(std::get<std::unique_ptr<Cluster>>(started)));
  }
  return exit_fine;
}

void stop(Cluster& cluster, std::ostream& err) {
  const auto folder = cluster.folder();
  const auto stopped = cluster.stop(false);
  if (stopped.kept) err << "Configuration and logs are kept in " << folder.string() << '\n';
  for (const auto& complaint : stopped.complaints) err << complaint << '\n';
}

void print_result(const RaceState& state, std::ostream& out) {
  for (const auto& each : state.contestants) {
    const auto& total = each.total;
    if (state.rules) {
      out << fmt::format(
          "{}, after round {}: {} rooms, {} orders refused, {} of {} requests seated, spread p50 "
          "{:.0f}, p90 {:.0f}; wait of the last p50 {:.0f} ms, p90 {:.0f} ms\n",
          each.lock, state.round, total.rooms, total.refused, total.seated, total.asked,
          each.spread_p50, each.spread_p90, each.match_p50_ms, each.match_p90_ms);
      continue;
    }
    out << fmt::format(
        "{}, after round {}: {} rooms where {} were needed, {} collisions, {:.1f} wasted "
        "room-seconds, {} of {} players seated\n",
        each.lock, state.round, total.rooms, total.needed, total.cost.collisions,
        total.cost.wasted_room_seconds, total.seated, total.asked);
  }
}

// Runs the race. Returns an exit code.
int run(const Options& run_options, const RaceOptions& options, Clusters& clusters,
        LockServers& servers, asio::io_context& context, std::ostream& out, std::ostream& err) {
  const auto contestant = [&](std::size_t side, const std::string& lock) {
    return std::make_unique<Contestant>(context, lock, *clusters[side], options.cluster.capacity,
                                        options.rules);
  };
  std::vector<std::unique_ptr<Contestant>> contestants;
  for (const std::string& lock : options.settings.locks) {
    contestants.push_back(contestant(contestants.size(), lock));
  }
  using Started = std::variant<std::unique_ptr<Contestant>, std::string>;
  const auto start = [&](std::size_t side, const std::string& lock) -> Started {
    stop(*clusters[side], err);
    auto started = start_cluster(run_options, lock, servers, out);
    if (auto* failure = std::get_if<StartFailure>(&started)) return std::move(failure->message);
    clusters[side] = std::move(std::get<std::unique_ptr<Cluster>>(started));
    return contestant(side, lock);
  };
  Race race{context, options, std::move(contestants), start};
  const RaceDesk desk{.state = [&race] { return race.state_text(); },
                      .change = [&race](std::string_view body) -> std::optional<SettingsMistake> {
                        auto changed = change_settings(race.settings(), body);
                        if (auto* mistake = std::get_if<SettingsMistake>(&changed)) return *mistake;
                        race.change(std::get<RaceSettings>(changed));
                        return {};
                      }};
  auto server = net::HttpServer::start(
      context,
      {.address = options.listen,
       .port = options.port,
       .connections = page_connections,
       .body_bytes = page_body_bytes},
      [&desk](net::HttpRequest&& request, const net::HttpResponder& responder) {
        responder.answer(answer_page(request, desk));
      });
  if (!server) {
    err << fmt::format("The page cannot listen on {}:{}: {}\n", options.listen, options.port,
                       server.error().message());
    return exit_usage;
  }
  const std::string host = options.listen == "0.0.0.0" ? "127.0.0.1" : options.listen;
  out << fmt::format("\nThe race: http://{}:{}/\nCtrl-C ends it all.\n", host, (*server)->port())
      << std::flush;
  asio::co_spawn(context, race.run(), [&context](std::exception_ptr thrown) {
    net::rethrow(thrown);
    context.stop();
  });
  context.run();
  print_result(race.state(), out);
  if (race.failure().empty()) return exit_fine;
  err << race.failure() << '\n';
  return exit_no_cluster;
}

}  // namespace

int run_race(const Options& options, const RaceOptions& race, std::ostream& out,
             std::ostream& err) {
  if (race.port != 0 && !all_free(race.port, 1)) {
    err << fmt::format("Port {} is taken; --port chooses another one, --port 0 any.\n", race.port);
    return exit_usage;
  }
  asio::io_context context{1};
  asio::signal_set signals{context, SIGINT, SIGTERM};
  signals.async_wait([&context](boost::system::error_code error, int) {
    if (!error) context.stop();
  });
  LockServers servers;
  Clusters clusters;
  const int started = start_clusters(options, race.settings.locks, servers, clusters, out, err);
  const int code =
      started == exit_fine ? run(options, race, clusters, servers, context, out, err) : started;
  out << "Stopping.\n" << std::flush;
  for (const auto& cluster : clusters) stop(*cluster, err);
  return code == exit_interrupted ? exit_fine : code;
}

}  // namespace fixkeep::client_sim
