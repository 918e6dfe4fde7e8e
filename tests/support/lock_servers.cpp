#include "tests/support/lock_servers.hpp"

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <utility>

#include "client-sim/cluster/api_server.hpp"
#include "client-sim/cluster/lock_servers.hpp"
#include "client-sim/cluster/postgres_server.hpp"

namespace fixkeep::engine {
namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto start_limit = 60'000ms;

bool port_open(std::uint16_t port) {
  asio::io_context context;
  asio::ip::tcp::socket socket{context};
  boost::system::error_code error;
  socket.connect({asio::ip::address_v4::loopback(), port}, error);
  return !error;
}

std::uint16_t first_port(client_sim::PortSlots& slots) {
  const auto range = slots.take(1);
  if (!range) throw std::runtime_error{"no free ports"};
  return range->first;
}

std::string url(std::uint16_t port) {
  return "http://127.0.0.1:" + std::to_string(port);
}

}  // namespace

LockServer::LockServer(std::vector<std::string> command, std::uint16_t port, fs::path log)
    : command_(std::move(command)), port_(port), log_(std::move(log)) {}

void LockServer::start() {
  launch();
  wait_until_open();
}
void LockServer::launch() {
  auto started = process::ChildProcess::start(command_, log_);
  if (!started) throw std::runtime_error{command_.front() + ": " + started.error().message()};
  process_.emplace(std::move(*started));
}
void LockServer::wait_until_open() {
  for (const auto end = Clock::now() + start_limit; !port_open(port_);) {
    if (Clock::now() > end || !process_->running()) {
      throw std::runtime_error{command_.front() + " did not start; see " + log_.string()};
    }
    std::this_thread::sleep_for(20ms);
  }
}
void LockServer::kill() {
  if (!process_) return;
  (void)client_sim::kill_family(*process_, start_limit);
  process_.reset();
}
void LockServer::pause() {
  client_sim::signal_family(*process_, SIGSTOP);
}
void LockServer::resume() {
  client_sim::signal_family(*process_, SIGCONT);
}

EtcdServers::EtcdServers(std::size_t count) {
  auto port = first_port(slots_);
  std::string cluster;
  for (std::size_t i = 0; i < count; ++i) {
    cluster += fmt::format("{}e{}={}", i == 0 ? "" : ",", i,
                           url(static_cast<std::uint16_t>(port + 2 * i + 1)));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto name = "e" + std::to_string(i);
    const auto client = static_cast<std::uint16_t>(port + 2 * i);
    const auto peer = static_cast<std::uint16_t>(client + 1);
    const std::vector<std::string> command{"/usr/bin/etcd",
                                           "--name",
                                           name,
                                           "--data-dir",
                                           (folder_.path() / name).string(),
                                           "--listen-client-urls",
                                           url(client),
                                           "--advertise-client-urls",
                                           url(client),
                                           "--listen-peer-urls",
                                           url(peer),
                                           "--initial-advertise-peer-urls",
                                           url(peer),
                                           "--initial-cluster",
                                           cluster,
                                           "--initial-cluster-state",
                                           "new",
                                           "--logger",
                                           "zap"};
    members_.emplace_back(command, client, folder_.path() / (name + ".log"));
  }
}

std::vector<ServerAddress> LockServers::addresses() const {
  std::vector<ServerAddress> all;
  for (const auto& each : members_) all.push_back(each.address());
  return all;
}

void LockServers::start() {
  for (auto& each : members_) each.launch();
  for (auto& each : members_) each.wait_until_open();
}

void EtcdServers::lose_data() {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    fs::remove_all(folder_.path() / ("e" + std::to_string(i)));
  }
}

ZookeeperServer::ZookeeperServer() {
  const auto port = first_port(slots_);
  const auto config = folder_.path() / "zoo.cfg";
  std::ofstream{config} << "tickTime=250\ninitLimit=10\nsyncLimit=5\ndataDir="
                        << (folder_.path() / "data").string() << "\nclientPort=" << port
                        << "\nclientPortAddress=127.0.0.1\nadmin.enableServer=false\n"
                        << "maxClientCnxns=60\n";
  members_.emplace_back(
      std::vector<std::string>{
          "/usr/bin/java", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
          "-Dzookeeper.jmx.log4j.disable=true", "-cp", "/usr/share/java/zookeeper.jar",
          "org.apache.zookeeper.server.quorum.QuorumPeerMain", config.string()},
      port, folder_.path() / "zookeeper.log");
}

void ZookeeperServer::lose_data() {
  fs::remove_all(folder_.path() / "data");
}

PostgresServer::PostgresServer() {
  const auto port = first_port(slots_);
  std::vector<std::string> command;
  const auto failure = client_sim::prepare_postgres(folder_.path(), port, command);
  if (!failure.empty()) throw std::runtime_error{failure};
  members_.emplace_back(command, port, folder_.path() / "postgres.log");
}

void PostgresServer::lose_data() {
  std::vector<std::string> unchanged;
  const auto failure =
      client_sim::prepare_postgres(folder_.path(), members_.front().address().port, unchanged);
  if (!failure.empty()) throw std::runtime_error{failure};
}

ApiServer::ApiServer() {
  const auto port = first_port(slots_);
  std::vector<std::string> command;
  const auto failure = client_sim::prepare_api_server(folder_.path(), port, command);
  if (!failure.empty()) throw std::runtime_error{failure};
  members_.emplace_back(command, port, folder_.path() / "kubernetes.log");
}

void ApiServer::lose_data() {
  fs::remove_all(folder_.path() / "kubernetes" / "etcd");
}

}  // namespace fixkeep::engine
