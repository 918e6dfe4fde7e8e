// One match request on a connection of its own that the test holds in its hand: sent, and then
// answered or hung up when the test says so.
//
// Thread rule: each call blocks until it is done or call_limit is over.
// Errors: std::runtime_error if the master cannot be reached or the answer does not come.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <string>
#include <vector>

#include "client-sim/load/api.hpp"
#include "client-sim/load/http_client.hpp"

namespace fixkeep::support {

class HeldRequest {
 public:
  HeldRequest(const client_sim::Endpoint& master, const std::string& body);
  // A GET with more fields, each with its line break: "Prefer: wait=25\r\n".
  [[nodiscard]] static HeldRequest look(const client_sim::Endpoint& master,
                                        const std::string& target, const std::string& fields);

  void hang_up();
  [[nodiscard]] client_sim::HttpReply answer();

 private:
  HeldRequest() = default;
  void send(const client_sim::Endpoint& master, const std::string& line, const std::string& fields,
            const std::string& body);

  std::unique_ptr<boost::asio::io_context> context_ = std::make_unique<boost::asio::io_context>(1);
  boost::asio::ip::tcp::socket socket_{*context_};
};

// The body of a request of a party: the first of them asks.
[[nodiscard]] std::string party_body(const std::vector<std::string>& players,
                                     const std::string& region);

// One seat for each player of the answer: the one who asked, then the party.
[[nodiscard]] std::vector<client_sim::MatchAnswer> seats_of(const std::string& body);

}  // namespace fixkeep::support
