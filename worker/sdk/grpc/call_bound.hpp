// The bound says how many calls of one connection may live at a time, those that its game has taken
// back included.
//
// HTTP/2 counts no stream that was reset, so a game that opens calls and resets them at once
// (CVE-2023-44487) has as many as it likes in spite of GRPC_ARG_MAX_CONCURRENT_STREAMS, and gRPC
// 1.51 ends none of them while there is more to read: 15 000 took 290 MB. So each call is counted
// from its first header to its end, and one too many ends the connection. What the socket holds by
// then is still read, which is why GrpcServer bounds its buffer too.
//
// A count of frames in front of gRPC was considered: it would read and copy all that games send.
//
// Thread rule: any thread of gRPC. Bounds: `live_calls_most` of a connection. Errors: none. Fault
// model: a game sends what it likes. REQUIRES: connections are named as grpc_server.hpp says.
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
  // Four times what HTTP/2 allows, since a call that has ended well may live a little longer.
  static constexpr std::size_t live_calls_most = 256;

  grpc::experimental::Interceptor* CreateServerInterceptor(
      grpc::experimental::ServerRpcInfo* info) override;

 private:
  class Counted;
  struct Counts {
    std::mutex mutex;
    std::map<std::string, std::size_t> calls_of;  // by the name of the connection
  };

  std::shared_ptr<Counts> counts_ = std::make_shared<Counts>();
};

}  // namespace fixkeep::worker
