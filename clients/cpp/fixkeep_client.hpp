// A game client's way to a seat: asks the masters of FIX Keep, over Boost.Beast.
//
// MatchClient::find_seat asks one master after the other until one gives a seat, one refuses, the
// time is over, or the caller cancels. What it does with each answer is the same in all clients of
// FIX Keep, and stands in docs/clients.md; tests/clients/table.txt holds it to that.
//
// Thread rule: find_seat blocks its thread; any number of threads may call it. The stop token may
// be told from any thread, and hangs up at once. Bounds: Options::limit for one call with all its
// pauses; five seconds to connect to each address; 64 KiB of an answer. The look-up of a name is
// the system's, and nothing ends it early. Errors: Result says how the call has ended;
// std::invalid_argument is thrown for wrong use, and what Options::token throws goes through. Fault
// model: masters and what is in front of them may answer with anything, or with nothing.
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
  // Returns the bearer token. It is called again, with true, when a master says 401.
  std::function<std::string(bool renew)> token;
  // One call with all its pauses takes no longer.
  std::chrono::milliseconds limit{std::chrono::minutes{2}};
  // Masters are asked in the order in which they were given, and not in one that is drawn.
  bool keep_order = false;
  // Returns 0 <= x < 1; for tests.
  std::function<double()> random;
  // Without it the certificates of the system are trusted.
  std::shared_ptr<boost::asio::ssl::context> tls;
};

enum class Outcome {
  seat,
  refused,   // to repeat the request as it is would be in vain
  too_late,  // the time is over; type, detail and status are those of the last trouble
  cancelled,
};

struct Result {
  Outcome outcome = Outcome::too_late;
  boost::json::object seat;  // the answer of POST /v1/match
  std::string type;          // of docs/api.md, such as "no-capacity"; empty if no master has spoken
  std::string detail;
  unsigned status = 0;
};

// Where a master is.
struct Endpoint {
  std::string address;
  std::string host;
  std::string port;
  std::string target;
  bool secure = false;
};

class MatchClient {
 public:
  // Each master is http://HOST:PORT or https://HOST:PORT, perhaps with a path.
  explicit MatchClient(const std::vector<std::string>& masters, Options options = {});

  // The request has the fields of docs/api.md.
  [[nodiscard]] Result find_seat(const boost::json::object& wanted,
                                 const std::stop_token& cancel = {}) const;

 private:
  std::vector<Endpoint> masters_;
  Options options_;
};

}  // namespace fixkeep::client
