// The calls of the Agones SDK as gRPC has them: by their path, one service for all three of its
// packages.
//
// The services that protoc makes were considered: their code takes as long to compile as all the
// rest of this transport, and does no more than a table.
// Thread rule: gRPC's threads call it; live_call.hpp says what happens then. Bounds: GrpcServer's;
// a game may send messages that nobody reads, as far as the flow control of HTTP/2 lets it. Errors:
// as a status of gRPC; an unknown path is UNIMPLEMENTED, a malformed message INTERNAL.
#pragma once

#include <utility>

#include "worker/sdk/grpc/live_call.hpp"

namespace fixkeep::worker {

class GrpcCalls final : public grpc::CallbackGenericService {
 public:
  explicit GrpcCalls(CallPlace place) : place_(std::move(place)) {}

 private:
  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override;

  CallPlace place_;
};

}  // namespace fixkeep::worker
