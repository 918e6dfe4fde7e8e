// Serves the calls of the Agones SDK over gRPC by their path. One service serves all three
// packages.
//
// The alternative is services that protoc generates. They have the same effect as a table, but take
// as long to compile as all the rest of this transport. Thread rule: gRPC's threads call this
// class; see also live_call.hpp. Bounds: see GrpcServer. The flow control of HTTP/2 limits the
// unread messages of a game. Errors: as a status of gRPC. An unknown path is UNIMPLEMENTED and a
// malformed message INTERNAL.
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
