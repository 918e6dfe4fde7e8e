// Bounds the live calls of one connection, also calls that its game has taken back.
//
// HTTP/2 counts no stream that was reset. A game that opens calls and resets them at once
// (CVE-2023-44487) thus has any number of them in spite of GRPC_ARG_MAX_CONCURRENT_STREAMS. gRPC
// 1.51 ends no call while there is more to read: 15 000 calls took 290 MB. Each call is therefore
// counted from its first header to its end. One too many ends the connection. The content of the
// socket is still read then, so GrpcServer bounds its buffer too.
//
// The alternative is a count of frames in front of gRPC. It would read and copy all that games
// send.
//
// Thread rule: any thread of gRPC. Bounds: `live_calls_most` of a connection. Errors: none. Fault
// model: a game sends anything. REQUIRES: connections are named as in grpc_server.hpp.
#pragma once

#include <grpcpp/grpcpp.h>
#include <grpcpp/support/server_interceptor.h>

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace fixkeep::worker {

class CallBound final : public grpc::experimental::ServerInterceptorFactoryInterface {
 public:
  // Four times the limit of HTTP/2: a call that has ended well may live a little longer.
  static constexpr std::size_t live_calls_most = 256;

  grpc::experimental::Interceptor* CreateServerInterceptor(
      grpc::experimental::ServerRpcInfo* info) override;

 private:
  class Counted;
  struct Counts {
    std::mutex mutex;
    std::map<std::string, std::size_t> calls_of;  // key: the connection's name
  };

  std::shared_ptr<Counts> counts_ = std::make_shared<Counts>();
};

}  // namespace fixkeep::worker
