// Limits the live calls of one connection, including calls that the game has reset.
//
// HTTP/2 does not count streams that were reset. If a game opens calls and resets them immediately
// (CVE-2023-44487), it can thus have any number of calls, in spite of
// GRPC_ARG_MAX_CONCURRENT_STREAMS. gRPC 1.51 does not end a call while it has more bytes to read:
// 15 000 calls took 290 MB. CallBound therefore counts each call from its first header to its end.
// A call above the limit ends the connection. gRPC reads the rest of the socket's buffer even after
// that, so GrpcServer limits this buffer too.
//
// The alternative is to count frames before gRPC reads them. The worker would then read and copy
// all bytes from games.
//
// Thread rule: any thread of gRPC. Bounds: `live_calls_most` calls of a connection. Errors: none.
// Fault model: a game sends anything. REQUIRES: connections are named as in grpc_server.hpp.
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
  // Four times the limit of HTTP/2, because a call that has ended normally may live a little
  // longer.
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
