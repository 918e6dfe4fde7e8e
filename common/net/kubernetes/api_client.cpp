#include "common/net/kubernetes/api_client.hpp"

#include <optional>
#include <utility>

#include "common/net/http/pool.hpp"
#include "common/net/steady_clock.hpp"
#include "common/obs/log.hpp"
#include "common/obs/log_limit.hpp"

namespace fixkeep::kubernetes {

namespace asio = boost::asio;
using net::HttpPool;
using std::chrono::milliseconds;

namespace {

std::variant<net::HttpClientOptions, std::string> options_for(const Access& access,
                                                              const Credentials& credentials) {
  net::HttpClientOptions options;
  options.host = access.host;
  options.port = access.port;
  options.body_bytes = ApiClient::most_answer;
  if (access.plain) return options;
  auto trust = net::ServerTrust::read(credentials.tls);
  if (auto* const problem = std::get_if<std::string>(&trust)) return std::move(*problem);
  options.trust = std::move(std::get<0>(trust));
  return options;
}

}  // namespace

struct ApiClient::Impl {
  Impl(asio::io_context& context, Access to, Credentials known, net::HttpClientOptions options)
      : access(std::move(to)),
        credentials(std::move(known)),
        read_at(net::steady_now()),
        pool(context, std::move(options)) {}

  net::HttpCall prepared(ApiCall call) {
    const auto age = net::steady_now() - read_at;
    if (age >= read_again_every || (refused && age >= read_again_when_refused)) read_again();
    net::HttpCall made;
    made.method = std::move(call.method);
    made.target = access.prefix + call.target;
    made.fields.emplace_back("Accept", "application/json, */*");
    if (!call.body.empty()) made.fields.emplace_back("Content-Type", std::move(call.content_type));
    if (!credentials.token.empty()) {
      made.fields.emplace_back("Authorization", "Bearer " + credentials.token);
    }
    made.body = std::move(call.body);
    return made;
  }

  void read_again() {
    read_at = net::steady_now();
    refused = false;
    auto read = read_credentials(access);
    if (const auto* const why = std::get_if<std::string>(&read)) return complain(*why);
    auto& fresh = std::get<Credentials>(read);
    if (fresh.tls != credentials.tls) {
      auto options = options_for(access, fresh);
      if (const auto* const why = std::get_if<std::string>(&options)) return complain(*why);
      pool.renew(std::move(std::get<net::HttpClientOptions>(options)));
    }
    credentials = std::move(fresh);
  }

  void complain(const std::string& why) {
    const auto like_it = complaints.admit("", net::steady_now());
    if (!like_it) return;
    obs::log_warning("cannot read the credentials for the API server again", {{"reason", why}});
  }

  ApiAnswer heard(const HttpPool::Answer& answer) {
    refused = refused || answer.status == 401;
    return {answer.status, answer.body, answer.retry_after};
  }

  Access access;
  Credentials credentials;
  TimePoint read_at;
  bool refused = false;  // the server has refused the credentials since they were last read
  obs::LogLimit complaints{{.burst = 1,
                            .interval = std::chrono::minutes{10},
                            .longest_interval = std::chrono::minutes{10}}};
  HttpPool pool;
};

ApiClient::Made ApiClient::make(asio::io_context& context, const Access& access) {
  auto credentials = read_credentials(access);
  if (auto* const why = std::get_if<std::string>(&credentials)) return std::move(*why);
  auto& known = std::get<Credentials>(credentials);
  auto options = options_for(access, known);
  if (auto* const why = std::get_if<std::string>(&options)) return std::move(*why);
  return std::unique_ptr<ApiClient>{new ApiClient{std::make_shared<Impl>(
      context, access, std::move(known), std::move(std::get<net::HttpClientOptions>(options)))}};
}

ApiClient::~ApiClient() = default;

// The pool is destroyed with Impl and then calls no handler, so `impl` is valid in handlers.
void ApiClient::ask(ApiCall call, milliseconds limit, Done done) {
  Impl* const impl = impl_.get();
  impl->pool.ask(impl->prepared(std::move(call)), limit,
                 [impl, done = std::move(done)](const HttpPool::Answer& answer) {
                   done(impl->heard(answer));
                 });
}

void ApiClient::stream(ApiCall call, milliseconds limit, milliseconds each, Stream handlers) {
  Impl* const impl = impl_.get();
  HttpPool::Stream stream;
  stream.opened = std::move(handlers.opened);
  stream.piece = std::move(handlers.piece);
  stream.done = [impl, done = std::move(handlers.done)](const HttpPool::Answer& answer) {
    done(impl->heard(answer));
  };
  impl->pool.stream(impl->prepared(std::move(call)), limit, each, std::move(stream));
}

ApiAnswer ask_and_wait(const Access& access, ApiCall call, milliseconds limit) {
  asio::io_context context;
  auto made = ApiClient::make(context, access);
  if (const auto* const why = std::get_if<std::string>(&made)) return {0, *why, {}};
  std::optional<ApiAnswer> answer;
  std::get<0>(made)->ask(std::move(call), limit, [&](const ApiAnswer& given) { answer = given; });
  context.run_for(limit + std::chrono::seconds{1});
  return answer.value_or(ApiAnswer{0, "there was no answer in time", {}});
}

}  // namespace fixkeep::kubernetes
