// A LiveCall is a running gRPC call of any kind.
//
// gRPC's threads report a call's events, and the worker's thread performs the call. Either side can
// end the call; the first end counts.
// Invariants: 1. After Finish, the call starts nothing more and does not use the connection's name.
//                The name may then mean another connection (see grpc_server.hpp).
//             2. gRPC's pointer to a call is valid until OnDone.
// Thread rule: any thread of gRPC calls the On… functions, even within StartRead, StartWrite and
// Finish: the mutex is recursive. The worker's thread calls the other functions. Bounds: one
// message of each call in each direction. Errors: as a status of gRPC.
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

// A call needs these objects to reach the worker's thread and the room's session.
struct CallPlace {
  boost::asio::io_context& context;
  std::shared_ptr<SessionsByPeer> sessions;
};

class LiveCall : public grpc::ServerGenericBidiReactor,
                 public std::enable_shared_from_this<LiveCall> {
 public:
  LiveCall(CallPlace place, const grpc::CallbackServerContext& context);

  // Makes gRPC the owner of the call until OnDone, and reads the first message.
  void begin();

  void end(const grpc::Status& status);
  void end(const SdkError& error);
  void end_without_room();
  void end_with(const google::protobuf::MessageLite& reply);

 protected:
  // Returns the call's session. If the room has ended or the client's token is refused, ends the
  // call and returns null. After the end of the call, also returns null.
  [[nodiscard]] std::shared_ptr<Session> session();

  // read() and write() start nothing if the call has ended.
  void read();
  void write(const google::protobuf::MessageLite& message);

  // Handle the events: a message has arrived, the client has closed its side, a message was sent.
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
  std::vector<std::optional<std::string>> shown_;  // values of "authorization"; nullopt: missing
  std::recursive_mutex mutex_;
  bool ended_ = false;
  grpc::ByteBuffer received_;
  grpc::ByteBuffer sent_;
  std::shared_ptr<LiveCall> self_;  // the reference by which gRPC owns the call
};

}  // namespace fixkeep::worker
