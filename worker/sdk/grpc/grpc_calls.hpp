// The calls of the Agones SDK over gRPC by their path: one service for all three packages.
//
// The alternative is the services that protoc makes. They take as long to compile as the rest of
// this transport and do no more than a table. Thread rule: gRPC's threads call it; see
// live_call.hpp for the rest. Bounds: GrpcServer's; a game may send unread messages up to the flow
// control of HTTP/2. Errors: as a status of gRPC. An unknown path is UNIMPLEMENTED and a malformed
// message INTERNAL.
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
