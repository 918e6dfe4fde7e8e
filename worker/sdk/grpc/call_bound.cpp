#include "worker/sdk/grpc/call_bound.hpp"

#include <sys/socket.h>

#include <charconv>
#include <string_view>
#include <utility>

namespace fixkeep::worker {
namespace {

// Ends the connection with this name. The name contains the connection's descriptor number, which
// is not reused while a call of the connection lives.
void end_connection(std::string_view peer) {
  constexpr std::string_view prefix = "fd:";
  int descriptor = -1;
  if (!peer.starts_with(prefix)) return;
  peer.remove_prefix(prefix.size());
  (void)std::from_chars(peer.data(), peer.data() + peer.size(), descriptor);
  if (descriptor >= 0) ::shutdown(descriptor, SHUT_RDWR);
}

}  // namespace

// gRPC keeps this object exactly as long as its call.
class CallBound::Counted final : public grpc::experimental::Interceptor {
 public:
  Counted(std::shared_ptr<Counts> counts, std::string peer)
      : counts_(std::move(counts)), peer_(std::move(peer)) {
    const std::lock_guard lock{counts_->mutex};
    if (++counts_->calls_of[peer_] > live_calls_most) end_connection(peer_);
  }
  ~Counted() override {
    const std::lock_guard lock{counts_->mutex};
    const auto of = counts_->calls_of.find(peer_);
    if (--of->second == 0) counts_->calls_of.erase(of);
  }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

  void Intercept(grpc::experimental::InterceptorBatchMethods* methods) override {
    methods->Proceed();
  }

 private:
  std::shared_ptr<Counts> counts_;
  std::string peer_;
};

grpc::experimental::Interceptor* CallBound::CreateServerInterceptor(
    grpc::experimental::ServerRpcInfo* info) {
  return std::make_unique<Counted>(counts_, info->server_context()->peer()).release();
}

}  // namespace fixkeep::worker
