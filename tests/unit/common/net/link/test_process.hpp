// A process with a hub, and a fixture that runs several of them over real sockets on loopback.
//
// Thread rule: all on the fixture's io_context; a test stops a process by giving it one of its own
// that it does not run. Bounds: until() waits 30 s, then the condition has failed.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/base/random.hpp"
#include "common/net/link/hub.hpp"

namespace fixkeep::net {

namespace asio = boost::asio;
using asio::ip::tcp;
using namespace std::chrono_literals;  // only tests include this header
using boost::system::error_code;

// What a node of one role may say to one of the other, with a number that comes back.
inline wire::Message numbered(Role from, Role to, std::uint64_t round) {
  if (from == Role::worker) return wire::SeatReply{.request = round};
  if (to == Role::worker) return wire::SeatRequest{.request = round};
  lock::LockMessage message;
  message.key = GroupKey{"duel/eu"};
  message.round = round;
  return message;
}
inline std::uint64_t number_of(const wire::FromWorker& message) {
  if (const auto* answer = std::get_if<wire::OperatorAnswer>(&message)) return answer->request;
  return std::get<wire::SeatReply>(std::get<wire::Report>(message)).request;
}
inline std::uint64_t number_of(const wire::ToWorker& message) {
  if (const auto* call = std::get_if<wire::OperatorCall>(&message)) return call->request;
  return std::get<wire::SeatRequest>(std::get<wire::Order>(message)).request;
}
inline std::uint64_t number_of(const wire::BetweenMasters& message) {
  return std::get<lock::LockMessage>(std::get<lock::MeshMessage>(message)).round;
}
// `heard` is given the peer and the number.
template <class Heard>
void hear_numbers(LinkHandlers& handlers, Heard heard) {
  const auto said = [heard](const Peer& peer, auto&& message) { heard(peer, number_of(message)); };
  handlers.on_worker_said = said;
  handlers.on_master_said = said;
  handlers.on_peer_said = said;
}

// A hub and everything that it reported.
struct Process {
  Process(asio::io_context& io, LinkOptions wanted) : options(std::move(wanted)) {
    LinkHandlers handlers;
    handlers.on_up = [this](const Peer& node) {
      ups.push_back(node);
      admits.push_back(node.admits);
      EXPECT_FALSE(in_send);
      if (at_up) at_up(node);
    };
    hear_numbers(handlers, [this](const Node& node, std::uint64_t round) {
      rounds.push_back(round);
      if (at_message) at_message(node, round);
    });
    handlers.on_down = [this](const Node&, error_code reason) {
      EXPECT_FALSE(in_send);
      downs.push_back(reason);
    };
    handlers.on_refused = [this](const LinkFailure& why) {
      refused.push_back(why.reason);
      failures.push_back(why);
    };
    handlers.on_unreachable = [this](const LinkFailure& why) { unreachable.push_back(why); };
    handlers.on_batch_end = [this] { ++batches; };
    auto started = LinkHub::start(io, options, std::move(handlers));
    EXPECT_TRUE(started);
    hub = std::move(*started);
  }
  bool send(Role role, const std::string& name, std::uint64_t round) {
    in_send = true;
    const bool sent = hub->send(role, name, numbered(options.self.role, role, round));
    in_send = false;
    return sent;
  }
  [[nodiscard]] bool was_refused(Errc why) const {
    return std::find(refused.begin(), refused.end(), error_code{why}) != refused.end();
  }
  [[nodiscard]] bool is_up() const { return ups.size() > downs.size(); }

  LinkOptions options;
  std::vector<Node> ups;
  std::vector<std::string> admits;  // as each of these said
  std::vector<std::uint64_t> rounds;
  std::vector<error_code> downs;
  std::vector<error_code> refused;
  std::vector<LinkFailure> failures;
  std::vector<LinkFailure> unreachable;
  std::function<void(const Node&)> at_up;
  std::function<void(const Node&, std::uint64_t)> at_message;
  std::uint64_t batches = 0;
  bool in_send = false;
  std::unique_ptr<LinkHub> hub;
};

class LinkHubTest : public ::testing::Test {
 protected:
  static LinkOptions options_of(Role role, const std::string& name, std::uint64_t incarnation) {
    LinkOptions options;
    options.cluster = "test";
    options.secret = "a-secret-of-the-tests";
    options.self = {role, name, Incarnation{incarnation}};
    options.known_masters = {"m1", "m2"};
    options.reconnect_first = 5ms;
    options.reconnect_most = 50ms;
    if (role == Role::master) options.listen_address = "127.0.0.1";
    return options;
  }
  static LinkOptions master() { return options_of(Role::master, "m1", 1); }
  static LinkOptions worker() { return options_of(Role::worker, "w1", 10); }

  std::unique_ptr<Process> start(LinkOptions options) {
    return std::make_unique<Process>(io, std::move(options));
  }
  // A process that dials the listener under the name m1.
  std::unique_ptr<Process> start(LinkOptions options, const Process& listener) {
    auto process = start(std::move(options));
    process->hub->dial({"m1", "127.0.0.1", listener.hub->port()});
    return process;
  }
  // A worker and the master m1 that it is linked to.
  struct Pair {
    std::unique_ptr<Process> listener;
    std::unique_ptr<Process> dialler;
  };
  Pair linked(LinkOptions listening = master(), LinkOptions dialling = worker()) {
    Pair pair{start(std::move(listening)), nullptr};
    pair.dialler = start(std::move(dialling), *pair.listener);
    EXPECT_TRUE(until([&] { return pair.listener->is_up() && pair.dialler->is_up(); }));
    return pair;
  }
  template <class Condition>
  [[nodiscard]] bool until(Condition condition) {
    const auto limit = std::chrono::steady_clock::now() + 30s;
    while (!condition() && std::chrono::steady_clock::now() < limit) io.run_one_for(100ms);
    return condition();
  }
  tcp::socket stranger(const Process& listener) {
    tcp::socket socket{io};
    socket.connect({asio::ip::address_v4::loopback(), listener.hub->port()});
    return socket;
  }
  // Whether the other side closes the connection; what it says before that does not matter.
  [[nodiscard]] bool gets_closed(tcp::socket& socket) {
    bool closed = false;
    std::string said;
    asio::async_read(socket, asio::dynamic_buffer(said),
                     [&](error_code, std::size_t) { closed = true; });
    return until([&] { return closed; });
  }
  static std::string random_bytes(std::size_t count) {
    Random random{count};
    std::string bytes(count, '\0');
    for (auto& byte : bytes) byte = static_cast<char>(random.below(256));
    return bytes;
  }

  asio::io_context io;
};

}  // namespace fixkeep::net
