#include "client-sim/cluster/lock_servers.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "client-sim/cluster/api_server.hpp"
#include "client-sim/cluster/postgres_server.hpp"
#include "common/base/lock_strategies.hpp"

namespace fixkeep::client_sim {

namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds servers_start_limit{60'000};  // enough for a Java program on a busy computer
constexpr milliseconds servers_stop_limit{5000};
constexpr milliseconds port_poll{20};
constexpr std::size_t redlock_servers = 5;
constexpr std::size_t etcd_servers = 3;
constexpr const char* zookeeper_jar = "/usr/share/java/zookeeper.jar";

// Returns the program's path; empty if it is not installed.
std::string find_program(const std::string& name) {
  std::stringstream folders{std::string{"/usr/bin:/usr/sbin:/usr/local/bin:"} +
                            (std::getenv("PATH") != nullptr ? std::getenv("PATH") : "")};
  for (std::string folder; std::getline(folders, folder, ':');) {
    const auto path = fs::path{folder} / name;
    if (::access(path.c_str(), X_OK) == 0) return path.string();
  }
  return {};
}

std::string missing(const std::string& what, const std::string& package) {
  return what + " is not installed: apt-get install " + package;
}

// Sends `question` to a loopback port and returns the first words of the answer; empty after the
// limit.
std::string ask(std::uint16_t port, const std::string& question) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return {};
  const timeval limit{.tv_sec = 1, .tv_usec = 0};
  ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string answer;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the interface of connect
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  if (::connect(socket, generic, sizeof address) == 0 &&
      ::send(socket, question.data(), question.size(), MSG_NOSIGNAL) > 0) {
    std::array<char, 512> buffer{};
    const auto size = ::recv(socket, buffer.data(), buffer.size(), 0);
    if (size > 0) answer.assign(buffer.data(), static_cast<std::size_t>(size));
  }
  ::close(socket);
  return answer;
}

// Returns the digits after the first `mark` in the text.
std::string number_after(const std::string& text, const std::string& mark) {
  const auto found = text.find(mark);
  if (found == std::string::npos) return {};
  const auto begin = found + mark.size();
  return text.substr(begin, text.find_first_not_of("0123456789", begin) - begin);
}

}  // namespace

bool needs_servers(std::string_view strategy) {
  const auto* found = lock::find_strategy(strategy);
  return found != nullptr && found->family == lock::Family::engine;
}

fs::path storage_folder(Storage storage) {
  constexpr std::uintmax_t enough = std::uintmax_t{1} << 30U;
  const fs::path memory{"/dev/shm"};
  std::error_code none;
  const bool roomy = fs::space(memory, none).available >= enough && !none;
  return storage == Storage::memory && roomy ? memory : fs::temp_directory_path();
}

std::variant<std::unique_ptr<EngineServers>, EngineFailure> EngineServers::start(
    const std::string& strategy, Storage storage) {
  std::unique_ptr<EngineServers> servers{new EngineServers{strategy}};
  auto failure = servers->prepare(storage);
  for (std::size_t i = 0; failure.empty() && i < servers->size(); ++i) {
    failure = servers->launch(i);
  }
  for (std::size_t i = 0; failure.empty() && i < servers->size(); ++i) {
    failure = servers->wait_until_ready(i);
  }
  if (!failure.empty()) return EngineFailure{"The servers of " + strategy + ": " + failure};
  return servers;
}

EngineServers::~EngineServers() {
  stop();
}

std::vector<std::string> EngineServers::addresses() const {
  std::vector<std::string> all;
  for (const auto& server : servers_) all.push_back(loopback(server.port));
  return all;
}

std::string EngineServers::prepare(Storage storage) {
  const auto range = slots_.take(1);
  if (!range) return "no free loopback ports";
  next_port_ = range->first;
  auto pattern = (storage_folder(storage) / "fixkeep-engines-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) return "cannot make a folder like " + pattern;
  folder_ = pattern;
  if (strategy_ == "etcd") return prepare_etcd(etcd_servers);
  if (strategy_ == "zookeeper") return prepare_zookeeper();
  if (strategy_ == "postgres") {
    const auto port = next_port();
    servers_.push_back({"postgres-1", {}, port, {}});
    return prepare_postgres(folder_, port, servers_.back().arguments);
  }
  if (strategy_ == "kubernetes-lease") {
    const auto port = next_port();
    next_port_ = static_cast<std::uint16_t>(next_port_ + 3);
    servers_.push_back({"kubernetes-1", {}, port, {}});
    return prepare_api_server(folder_, port, servers_.back().arguments);
  }
  return prepare_redis(strategy_ == "redlock" ? redlock_servers : 1);
}

std::string EngineServers::prepare_redis(std::size_t count) {
  const auto program = find_program("redis-server");
  if (program.empty()) return missing("redis-server", "redis-server");
  for (std::size_t i = 1; i <= count; ++i) {
    const auto port = next_port();
    servers_.push_back({"redis-" + std::to_string(i),
                        {program, "--port", std::to_string(port), "--bind", "127.0.0.1", "--save",
                         "", "--appendonly", "no", "--dir", folder_.string()},
                        port,
                        {}});
  }
  return {};
}

std::string EngineServers::prepare_etcd(std::size_t count) {
  const auto program = find_program("etcd");
  if (program.empty()) return missing("etcd", "etcd-server");
  const auto first = next_port_;
  next_port_ = static_cast<std::uint16_t>(next_port_ + 2 * count);
  const auto url = [&](std::size_t server, std::size_t which) {
    return "http://" + loopback(static_cast<std::uint16_t>(first + 2 * server + which));
  };
  std::string ensemble;
  for (std::size_t i = 0; i < count; ++i) {
    ensemble += fmt::format("{}e{}={}", i == 0 ? "" : ",", i + 1, url(i, 1));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto name = "e" + std::to_string(i + 1);
    servers_.push_back(
        {"etcd-" + std::to_string(i + 1),
         {program, "--name", name, "--data-dir", (folder_ / name).string(), "--listen-client-urls",
          url(i, 0), "--advertise-client-urls", url(i, 0), "--listen-peer-urls", url(i, 1),
          "--initial-advertise-peer-urls", url(i, 1), "--initial-cluster", ensemble,
          "--initial-cluster-state", "new"},
         static_cast<std::uint16_t>(first + 2 * i),
         {}});
  }
  return {};
}

std::string EngineServers::prepare_zookeeper() {
  const auto java = find_program("java");
  if (java.empty()) return missing("java", "default-jre-headless");
  if (::access(zookeeper_jar, R_OK) != 0) return missing("zookeeper", "zookeeper");
  const auto port = next_port();
  const auto configuration = folder_ / "zoo.cfg";
  std::ofstream file{configuration};
  file << "tickTime=500\ninitLimit=10\nsyncLimit=5\nmaxClientCnxns=1000\n"
       << "admin.enableServer=false\n4lw.commands.whitelist=srvr\n"
       << "dataDir=" << (folder_ / "zk").string() << "\nclientPort=" << port
       << "\nclientPortAddress=127.0.0.1\n";
  file.close();
  if (file.fail()) return "cannot write " + configuration.string();
  servers_.push_back({"zookeeper-1",
                      {java, "-Xmx256m", "-Dzookeeper.jmx.log4j.disable=true",
                       "-Dzookeeper.extendedTypesEnabled=true", "-cp", zookeeper_jar,
                       "org.apache.zookeeper.server.ZooKeeperServerMain", configuration.string()},
                      port,
                      {}});
  return {};
}

std::string EngineServers::launch(std::size_t index) {
  auto& server = servers_[index];
  auto process = process::ChildProcess::start(server.arguments, folder_ / (server.name + ".log"));
  if (!process) return "cannot start " + server.name + ": " + process.error().message();
  server.process = std::move(*process);
  return {};
}

bool EngineServers::answers(const Server& server) const {
  if (strategy_ == "etcd") {
    return ask(server.port, "GET /health HTTP/1.0\r\n\r\n").find(" 200 ") != std::string::npos;
  }
  if (strategy_ == "kubernetes-lease") {
    return ask(server.port, "GET /readyz HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n").find(" 200 ") !=
           std::string::npos;
  }
  if (strategy_ == "zookeeper") return ask(server.port, "srvr").starts_with("Zookeeper version");
  if (strategy_ == "postgres") {
    // Begins a session of PostgreSQL's protocol 3.0. If the server accepts the session, its answer
    // begins with 'R'.
    using namespace std::string_view_literals;
    const std::string words{"user\0fixkeep\0database\0fixkeep\0\0"sv};
    const auto size = static_cast<char>(8 + words.size());
    return ask(server.port, std::string{"\0\0\0"sv} + size + std::string{"\0\3\0\0"sv} + words)
        .starts_with('R');
  }
  return ask(server.port, "PING\r\n").starts_with("+PONG");
}

std::string EngineServers::wait_until_ready(std::size_t index) {
  auto& server = servers_[index];
  const auto end = steady_clock::now() + servers_start_limit;
  while (!answers(server)) {
    if (!server.process.running() || steady_clock::now() >= end) {
      std::ifstream log{folder_ / (server.name + ".log")};
      std::string text{std::istreambuf_iterator<char>{log}, {}};
      constexpr std::size_t shown = 2000;
      if (text.size() > shown) text.erase(0, text.size() - shown);
      const auto how = server.process.running() ? "does not answer" : "ended at the start";
      return server.name + " " + how + ":\n" + text;
    }
    std::this_thread::sleep_for(port_poll);
  }
  return {};
}

std::size_t EngineServers::leader() const {
  for (std::size_t i = 0; strategy_ == "etcd" && i < size(); ++i) {
    const auto status = ask(servers_[i].port,
                            "POST /v3/maintenance/status HTTP/1.0\r\nContent-Length: 2\r\n\r\n{}");
    const auto id = number_after(status, "\"member_id\":\"");
    if (!id.empty() && id == number_after(status, "\"leader\":\"")) return i;
  }
  return 0;
}

bool EngineServers::kill(std::size_t index) {
  return kill_family(servers_[index].process, servers_stop_limit);
}

bool EngineServers::restart(std::size_t index) {
  if (servers_[index].process.running()) return false;
  if (!launch(index).empty()) return false;
  return wait_until_ready(index).empty();
}

bool EngineServers::restart_killed() {
  std::vector<std::size_t> killed;
  for (std::size_t i = 0; i < size(); ++i) {
    if (!running(i)) killed.push_back(i);
  }
  bool fine = true;
  for (const auto i : killed) fine = launch(i).empty() && fine;
  for (const auto i : killed) fine = fine && wait_until_ready(i).empty();
  return fine;
}

void EngineServers::pause(std::size_t index) {
  signal_family(servers_[index].process, SIGSTOP);
}
void EngineServers::resume(std::size_t index) {
  signal_family(servers_[index].process, SIGCONT);
}

void EngineServers::stop() {
  for (auto& server : servers_) {
    signal_family(server.process, SIGCONT);
    server.process.signal(strategy_ == "postgres" ? SIGINT : SIGTERM);  // INT ends sessions too
  }
  for (auto& server : servers_) {
    if (server.process.wait(servers_stop_limit)) continue;
    (void)kill_family(server.process, servers_stop_limit);
  }
  servers_.clear();
  std::error_code ignored;  // if the folder remains in /tmp, the run does not fail
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
  folder_.clear();
}

}  // namespace fixkeep::client_sim
