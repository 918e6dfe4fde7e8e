// An SdkError tells the game why a call of the SDK is refused: a gRPC code and a text.
//
// A transport sends the code in the form of gRPC or HTTP (http_status()). Agones itself sends all
// errors of counters, lists and player tracking as errors without a code. Here these errors have
// the code `unknown`. Thread rule: values. Errors: none.
#pragma once

#include <boost/system/result.hpp>
#include <cstdint>
#include <string>

namespace fixkeep::worker {

enum class SdkCode : std::uint8_t {  // the numbers are those of gRPC
  unknown = 2,
  invalid_argument = 3,
  not_found = 5,
  already_exists = 6,
  resource_exhausted = 8,  // a limit of FIX Keep is reached
  failed_precondition = 9,
  unimplemented = 12,
  unavailable = 14,  // the room has ended
  unauthenticated = 16,
};

struct SdkError {
  SdkCode code = SdkCode::unknown;
  std::string message;

  friend bool operator==(const SdkError&, const SdkError&) = default;
};

template <class T = void>
using SdkResult = boost::system::result<T, SdkError>;

[[nodiscard]] constexpr unsigned http_status(SdkCode code) {
  switch (code) {
    case SdkCode::unknown: return 500;
    case SdkCode::invalid_argument: return 400;
    case SdkCode::not_found: return 404;
    case SdkCode::already_exists: return 409;
    case SdkCode::resource_exhausted: return 429;
    case SdkCode::failed_precondition: return 400;
    case SdkCode::unimplemented: return 501;
    case SdkCode::unavailable: return 503;
    case SdkCode::unauthenticated: return 401;
  }
  return 500;
}

}  // namespace fixkeep::worker
