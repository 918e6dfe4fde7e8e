// A cluster of one thread with the HTTP interface of a master and rooms that really listen, for the
// tests of the load generator. It can be told to do wrong, which the real one cannot.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "client-sim/load/api.hpp"
#include "common/net/http/server.hpp"

namespace fixkeep::client_sim {

struct Misdeeds {
  std::uint32_t fill_only = 0;           // opens the next room after so many players; 0: when full
  std::uint32_t squeeze_in = 0;          // players over capacity in each room
  bool forget_leaving = false;           // seats are never free again
  bool refuse_players = false;           // rooms let nobody in
  std::string refusal = "token_forged";  // why
  std::chrono::milliseconds seats_live{15'000};  // as the answers say
  bool answer_nonsense = false;                  // 200 with a body that is no seat
  int busy_answers = 0;                          // the first so many requests get 503, or this:
  unsigned busy_status = 503;
  std::string token_team{};  // the team in all tokens; the answers name team 1. Empty: no teams
  bool rooms_gone = false;   // seats in rooms where nobody listens
};

class FakeCluster {
 public:
  FakeCluster(std::uint32_t capacity, Misdeeds misdeeds);
  ~FakeCluster();
  FakeCluster(const FakeCluster&) = delete;
  FakeCluster& operator=(const FakeCluster&) = delete;

  [[nodiscard]] Endpoint endpoint() const { return {.host = "127.0.0.1", .port = port_}; }

 private:
  struct Room;
  struct Guest;

  void serve(net::HttpRequest&& request, const net::HttpResponder& responder);
  net::HttpAnswer match(const std::string& body);
  [[nodiscard]] std::string rooms_page() const;
  Room& room_for(const std::string& group);
  void accept(const std::shared_ptr<Room>& room);

  std::uint32_t capacity_;
  Misdeeds misdeeds_;
  boost::asio::io_context context_{1};
  std::vector<std::shared_ptr<Room>> rooms_;
  std::unique_ptr<net::HttpServer> server_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

}  // namespace fixkeep::client_sim
