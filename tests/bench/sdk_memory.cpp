// fixkeep-bench-sdk-memory: what the SDK of a room costs its worker in memory.
//
// Opens `rooms` rooms in this process, and measures the memory of one: without a connection, and
// with what a game usually has: an idle connection to REST, and one of gRPC with a stream of health
// and a watch. The games are one other process. Prints one line of JSON.

#include <grpcpp/grpcpp.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "worker/sdk/agones/sdk.grpc.pb.h"
#include "worker/sdk/room_sdk.hpp"

namespace {

using namespace fixkeep::worker;
using boost::asio::ip::tcp;
namespace sdk = ::agones::dev::sdk;

struct Ports {
  std::uint16_t rest = 0;
  std::uint16_t grpc = 0;
};

// What is resident and not of a file. PSS would halve what the games' process shares since its
// fork.
long resident_kb() {
  malloc_trim(0);
  std::ifstream in{"/proc/self/smaps_rollup"};
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("Anonymous:")) return std::stol(line.substr(10));
  }
  return 0;
}

bool read_all(int pipe, void* bytes, std::size_t size) {
  auto* at = static_cast<char*>(bytes);
  while (size > 0) {
    const auto got = read(pipe, at, size);
    if (got <= 0) return false;
    at += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

class Game {
 public:
  explicit Game(const Ports& ports) {
    grpc::ChannelArguments arguments;
    arguments.SetInt("grpc.use_local_subchannel_pool", 1);
    stub_ = sdk::SDK::NewStub(grpc::CreateCustomChannel(
        "127.0.0.1:" + std::to_string(ports.grpc), grpc::InsecureChannelCredentials(), arguments));
    health_ = stub_->Health(&health_context_, &reply_);
    health_->Write({});
    watch_ = stub_->WatchGameServer(&watch_context_, {});
    sdk::GameServer shown;
    watch_->Read(&shown);
    rest_.connect({boost::asio::ip::address_v4::loopback(), ports.rest});
    boost::asio::write(rest_, boost::asio::buffer(std::string{
                                  "GET /alpha/player/count HTTP/1.1\r\nHost: localhost\r\n\r\n"}));
    boost::asio::streambuf answer;
    boost::asio::read_until(rest_, answer, "}");
  }

 private:
  boost::asio::io_context own_;
  tcp::socket rest_{own_};
  std::unique_ptr<sdk::SDK::Stub> stub_;
  grpc::ClientContext health_context_;
  grpc::ClientContext watch_context_;
  sdk::Empty reply_;
  std::unique_ptr<grpc::ClientWriter<sdk::Empty>> health_;
  std::unique_ptr<grpc::ClientReader<sdk::GameServer>> watch_;
};

// Plays every room, says so, and keeps it up until its worker is gone.
[[noreturn]] void play(std::size_t rooms, int ports_in, int ready_out) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::vector<Ports> ports(rooms);
  if (!read_all(ports_in, ports.data(), rooms * sizeof(Ports))) _exit(1);
  std::vector<std::unique_ptr<Game>> games;
  games.reserve(rooms);
  for (const Ports& room : ports) games.push_back(std::make_unique<Game>(room));
  if (write(ready_out, "x", 1) != 1) _exit(1);
  for (;;) pause();
}

std::uint16_t port_of(const RoomSdk& room, const char* variable) {
  return static_cast<std::uint16_t>(std::stoi(room.variables().at(variable)));
}

int measure(std::size_t rooms, pid_t games, int ports_out, int ready_in) {
  boost::asio::io_context context{1};
  auto host = TransportHost::start(context);
  if (!host) return 1;
  RoomHandlers handlers;
  handlers.health = [] {};
  const auto open = [&](std::size_t number) {
    auto listeners = open_room_listeners();
    return std::make_unique<RoomSdk>(*host, SessionFacts{.room = std::to_string(number)}, handlers,
                                     std::move(*listeners), FromTheRoom{});
  };
  const auto first = open(0);  // what is made once is not of a room
  context.poll();
  const long before = resident_kb();
  std::vector<std::unique_ptr<RoomSdk>> opened;
  std::vector<Ports> ports;
  for (std::size_t i = 0; i < rooms; ++i) {
    opened.push_back(open(i + 1));
    ports.push_back({.rest = port_of(*opened.back(), "AGONES_SDK_HTTP_PORT"),
                     .grpc = port_of(*opened.back(), "AGONES_SDK_GRPC_PORT")});
  }
  context.poll();
  const long idle = resident_kb();
  const auto bytes = ports.size() * sizeof(Ports);
  if (write(ports_out, ports.data(), bytes) != static_cast<ssize_t>(bytes)) return 1;
  boost::asio::posix::stream_descriptor ready{context, ready_in};
  ready.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                   [&](boost::system::error_code) { context.stop(); });
  context.run();
  const long played = resident_kb();
  kill(games, SIGKILL);
  const auto each = [&](long kb) {
    return static_cast<double>(kb - before) / static_cast<double>(rooms);
  };
  std::printf(R"({"rooms":%zu,"worker_kb":%ld,"idle_kb_a_room":%.1f,"played_kb_a_room":%.1f})"
              "\n",
              rooms, before, each(idle), each(played));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"What the SDK of a room costs its worker in memory"};
  std::size_t rooms = 200;
  app.add_option("--rooms", rooms)->check(CLI::Range(1, 400));
  CLI11_PARSE(app, argc, argv);
  int ports[2];
  int ready[2];
  if (pipe(ports) != 0 || pipe(ready) != 0) return 1;
  const pid_t games = fork();  // before gRPC has threads
  if (games < 0) return 1;
  if (games == 0) play(rooms, ports[0], ready[1]);
  close(ready[1]);
  const int code = measure(rooms, games, ports[1], ready[0]);
  waitpid(games, nullptr, 0);
  return code;
}
