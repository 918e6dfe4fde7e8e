// SPDX-License-Identifier: MIT
// A game client requests a seat from the masters of FIX Keep, over Boost.Beast.
//
// MatchClient::find_seat asks one master after the other until one gives a seat, one refuses, the
// time is over, or the caller cancels. All clients of FIX Keep handle the answers in the same way:
// docs/clients.md describes it, tests/clients/table.txt tests it.
//
// Thread rule: find_seat blocks its thread; any number of threads may call it. Any thread may
// request a stop: find_seat then closes its connection and returns. Bounds: Options::limit for one
// call with all its pauses; five seconds to connect to each address; 64 KiB of an answer. The
// system looks up names, and nothing ends a look-up early. Errors: Result says how the call has
// ended; find_seat throws std::invalid_argument for wrong use, and passes on exceptions of
// Options::token. Fault model: masters, and balancers before them, may send any answer or none.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <boost/json/object.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace fixkeep::client {

struct Options {
  // Returns the bearer token. After a 401, find_seat calls this function again with `renew` true.
  std::function<std::string(bool renew)> token;
  // The longest time of one call, with all its pauses.
  std::chrono::milliseconds limit{std::chrono::minutes{2}};
  // True: find_seat asks the masters in the given order. False: in a random order.
  bool keep_order = false;
  // Replaces the random numbers in tests: returns 0 <= x < 1.
  std::function<double()> random;
  // Null: the client trusts the system's certificates.
  std::shared_ptr<boost::asio::ssl::context> tls;
};

enum class Outcome {
  seat,
  refused,   // a repetition of the same request would be refused too
  too_late,  // the time is over; type, detail and status describe the last error
  cancelled,
};

struct Result {
  Outcome outcome = Outcome::too_late;
  boost::json::object seat;  // the answer of POST /v1/match
  std::string type;          // of docs/api.md, such as "no-capacity"; empty: no master has answered
  std::string detail;
  unsigned status = 0;
};

// Receives a master's answer about a ticket (docs/api.md, "Tickets"): "state", "ticket", and if the
// master knows them "estimate" and "why".
using OnChange = std::function<void(const boost::json::object& news)>;

// The parts of a master's address.
struct Endpoint {
  std::string address;
  std::string host;
  std::string port;
  std::string target;
  bool secure = false;
};

class MatchClient {
 public:
  // Each text in `masters` is http://HOST:PORT or https://HOST:PORT, perhaps with a path.
  explicit MatchClient(const std::vector<std::string>& masters, Options options = {});

  // The request has the fields of docs/api.md.
  [[nodiscard]] Result find_seat(const boost::json::object& wanted,
                                 const std::stop_token& cancel = {}) const;

  // Returns the seat like find_seat. A ticket keeps the player's age if a connection breaks or a
  // master ends: use it for waits of more than a few seconds. The calling thread calls `on_change`
  // for each new state: waiting, matched, ready. Store news.at("ticket"), and give it to resume
  // after a restart. A stop ends the ticket, which takes at most five seconds. After `too_late` the
  // ticket is still valid; without resume it ends by itself.
  [[nodiscard]] Result find_seat_by_ticket(const boost::json::object& wanted,
                                           const std::stop_token& cancel = {},
                                           const OnChange& on_change = {}) const;
  // Continues the ticket of an earlier find_seat_by_ticket, in the same way.
  [[nodiscard]] Result resume(const std::string& ticket, const std::stop_token& cancel = {},
                              const OnChange& on_change = {}) const;

 private:
  [[nodiscard]] std::vector<Endpoint> order() const;

  std::vector<Endpoint> masters_;
  Options options_;
};

}  // namespace fixkeep::client
