// A live call of gRPC of any kind.
//
// gRPC's threads tell a call its events and our thread performs it. Either may end it. The first
// end counts.
// Invariants: 1. After Finish nothing more is started. Nothing from gRPC is used: the name of the
//                connection (see grpc_server.hpp).
//             2. gRPC's pointer to a call is valid until OnDone.
// Thread rule: any thread of gRPC calls On… functions. It may do so within StartRead, StartWrite
// and Finish: the mutex is recursive. The rest is our thread's. Bounds: one message of each call in
// each direction. Errors: as a status of gRPC.
#pragma once

#include <google/protobuf/message_lite.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>

#include <boost/asio/io_context.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "worker/sdk/errors.hpp"
#include "worker/sdk/grpc/sessions_by_peer.hpp"
#include "worker/sdk/session.hpp"

namespace fixkeep::worker {

// A call needs these to reach our thread and its session.
struct CallPlace {
  boost::asio::io_context& context;
  std::shared_ptr<SessionsByPeer> sessions;
};

class LiveCall : public grpc::ServerGenericBidiReactor,
                 public std::enable_shared_from_this<LiveCall> {
 public:
  LiveCall(CallPlace place, const grpc::CallbackServerContext& context);

  // Makes the call gRPC's until OnDone and reads its first message.
  void begin();

  void end(const grpc::Status& status);
  void end(const SdkError& error);
  void end_without_room();
  void end_with(const google::protobuf::MessageLite& reply);

 protected:
  // Null if the call has ended by now: its room has ended or its client is not the room's.
  [[nodiscard]] std::shared_ptr<Session> session();

  // Both start nothing if the call has ended.
  void read();
  void write(const google::protobuf::MessageLite& message);

  // Called when a message is there, the client has closed its side or a written message is on its
  // way.
  virtual void heard(const grpc::ByteBuffer& message) = 0;
  virtual void closed() = 0;
  virtual void sent() {}

 private:
  [[nodiscard]] std::shared_ptr<Session> find_session();
  void post(void (*action)(LiveCall&));

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override { end(grpc::Status::CANCELLED); }
  void OnDone() override;

  CallPlace place_;
  std::string peer_;
  std::vector<std::optional<std::string>> shown_;  // "authorization"; nullopt: not shown
  std::recursive_mutex mutex_;
  bool ended_ = false;
  grpc::ByteBuffer received_;
  grpc::ByteBuffer sent_;
  std::shared_ptr<LiveCall> self_;  // gRPC's reference
};

}  // namespace fixkeep::worker
