// Connects to a host by name or address for all parts of the program.
//
// An address is dialled directly. A name is looked up in parallel to others (name_lookups.hpp). Its
// addresses are tried in turn. Each has its share of the limit (dial_plan.hpp): "localhost" reaches
// a server at 127.0.0.1 only although ::1 comes first. One limit covers both.
//
// Thread rule: one executor with one thread. Lifetime: the object may go at any time. This is a
// cancel(). Bounds: `limit`; one socket at a time; the bounds of look-ups. Fault model: name
// servers and hosts are slow, silent, or wrong. Errors: the one of the last address (timed_out if
// it was silent); the look-up's (host_not_found_try_again if it was late); operation_aborted.
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
  std::string host;  // a name or an address, one of IPv6 without its brackets
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

  // `done` is called once but never from within. REQUIRES: nothing is being dialled.
  void dial(DialTarget target, Done done);
  // A dialling that is under way ends with operation_aborted.
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
