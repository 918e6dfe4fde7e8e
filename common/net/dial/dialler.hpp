// Connects to a host by name or address, for all parts of the program.
//
// An address is dialled directly. Lookups of several names run in parallel (name_lookups.hpp). The
// addresses of a name are tried in turn, each for its share of the limit (dial_plan.hpp). So
// "localhost" reaches a server that listens only on 127.0.0.1 although ::1 is tried first. One
// limit covers lookup and dial.
//
// Thread rule: one executor with one thread. Lifetime: the object may be destroyed at any time;
// this cancels the dial. Bounds: a dial ends within the time `limit` and has one socket at a time;
// for lookups see name_lookups.hpp. Fault model: name servers and hosts are slow, silent or wrong.
// Errors: the error of the last address (timed_out if the address was silent) or of the lookup
// (host_not_found_try_again if the lookup was late); operation_aborted after cancel().
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "common/net/dial/name_lookups.hpp"

namespace fixkeep::net {

struct DialTarget {
  std::string host;  // a name or an address; IPv6 without brackets
  std::uint16_t port = 0;
  std::chrono::milliseconds limit{};
};

class Dialler {
 public:
  using Done = std::function<void(boost::system::error_code, boost::asio::ip::tcp::socket)>;

  explicit Dialler(boost::asio::any_io_executor executor,
                   std::shared_ptr<NameLookups> lookups = NameLookups::of_the_system());
  ~Dialler();
  Dialler(const Dialler&) = delete;
  Dialler& operator=(const Dialler&) = delete;

  // Starts a dial. `done` is called exactly one time, never from within this call. REQUIRES: no
  // other dial is active.
  void dial(DialTarget target, Done done);
  // Ends an active dial with operation_aborted.
  void cancel();

  template <class Token>
  auto async_dial(DialTarget target, Token&& token) {
    using Signature = void(boost::system::error_code, boost::asio::ip::tcp::socket);
    return boost::asio::async_initiate<Token, Signature>(
        [this](auto handler, DialTarget where) {
          const auto kept = std::make_shared<decltype(handler)>(std::move(handler));
          dial(std::move(where),
               [kept](auto error, auto socket) { std::move (*kept)(error, std::move(socket)); });
        },
        token, std::move(target));
  }

 private:
  class Call;
  boost::asio::any_io_executor executor_;
  std::shared_ptr<NameLookups> lookups_;
  std::weak_ptr<Call> call_;
};

}  // namespace fixkeep::net
