// Two conventions for our coroutines. An operation's error is part of its result. An exception is a
// bug or lack of memory, and leaves through io_context::run().
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>

namespace fixkeep::net {

inline constexpr auto use_tuple = boost::asio::as_tuple(boost::asio::use_awaitable);

// The completion handler of a detached coroutine.
inline void rethrow(std::exception_ptr thrown) {
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace fixkeep::net
