#include "worker/sdk/rest/rest_transport.hpp"

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "common/net/http/server.hpp"
#include "worker/sdk/rest/rest_calls.hpp"
#include "worker/sdk/rest/watch_stream.hpp"
#include "worker/sdk/token.hpp"

namespace fixkeep::worker {
namespace {

using net::HttpRequest;
using net::HttpResponder;

class RestTransport final : public Transport {
 public:
  RestTransport(boost::asio::io_context& context, std::shared_ptr<Session> session,
                Endpoint endpoint)
      : session_(std::move(session)),
        server_(net::HttpServer::start_without_port(
            context,
            {.connections = rest_connections,
             .turned_away = rest_turned_away,
             .idle_timeout = std::chrono::minutes{10}},
            [this](const HttpRequest& request, const HttpResponder& responder) {
              handle(request, responder);
            })),
        acceptor_(context, session_->game_server().facts.room, std::move(endpoint),
                  [this](process::Descriptor connection) { serve(std::move(connection)); }) {}
  ~RestTransport() override {
    server_->close();
    for (const auto& stream : streams_) {
      if (const auto alive = stream.lock()) alive->close();
    }
  }
  RestTransport(const RestTransport&) = delete;
  RestTransport& operator=(const RestTransport&) = delete;

  void listen(std::vector<process::Descriptor> sockets) override {
    acceptor_.listen(std::move(sockets));
  }
  void serve(process::Descriptor connection) override { server_->serve(connection.release()); }
  [[nodiscard]] std::map<std::string, std::string> variables() const override {
    return {{"AGONES_SDK_HTTP_PORT", std::to_string(acceptor_.port())}};
  }

 private:
  void handle(const HttpRequest& request, const HttpResponder& responder) {
    const auto& facts = session_->game_server().facts;
    const auto fields = request.equal_range(boost::beast::http::field::authorization);
    std::vector<std::optional<std::string_view>> shown;
    for (auto field = fields.first; field != fields.second; ++field) {
      shown.emplace_back(std::string_view{field->value().data(), field->value().size()});
    }
    if (shown.empty()) shown.emplace_back();
    for (const auto& each : shown) {
      const auto right = check_token(facts, each);
      if (!right) return responder.answer(error_answer(right.error()));
    }
    answer_rest_call(*session_, request, responder, [&] { watch(request, responder); });
  }

  void watch(const HttpRequest& request, const HttpResponder& responder) {
    const auto stream = make_watch_stream(request);
    if (const auto watching = stream->watch(*session_); !watching) {
      responder.answer(error_answer(watching.error()));
      return;
    }
    auto socket = responder.take_over();
    if (!socket) return;
    std::erase_if(streams_, [](const auto& known) { return known.expired(); });
    streams_.push_back(stream);
    stream->run(std::move(*socket));
  }

  std::shared_ptr<Session> session_;
  std::unique_ptr<net::HttpServer> server_;
  Acceptor acceptor_;
  std::vector<std::weak_ptr<WatchStream>> streams_;
};

}  // namespace

std::unique_ptr<Transport> start_rest_transport(boost::asio::io_context& context,
                                                std::shared_ptr<Session> session,
                                                Endpoint endpoint) {
  return std::make_unique<RestTransport>(context, std::move(session), std::move(endpoint));
}

}  // namespace fixkeep::worker
