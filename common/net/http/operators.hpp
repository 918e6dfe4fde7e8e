// Tells operators from others at a listener that is meant for operators.
//
// Where there is a token, an operator names it: "Authorization: Bearer TOKEN" (RFC 6750), or, since
// that is what a browser asks a person for, "Basic" with the token as password and any user name
// (RFC 7617). Where there is none, every client is one, since such a listener is on the loopback
// device alone, or has seen a certificate of each client (common/net/configured_tls.hpp sees to
// it).
//
// A browser asks what the pages of strangers tell it to, and adds the password that it knows. So
// what a page of another origin asks is refused, also where its browser names no origin but says
// that a request that changes something is from another site (Fetch Metadata), and without a token
// also what is asked under a name that only happens to lead here (DNS rebinding).
//
// Everybody may ask /healthz and /readyz, which tell of a node what its players see.
//
// A connection by which an operator has asked goes for no newer one, where operators show who they
// are; those of clients that have not do, the oldest first (connections_by_client.hpp): so they
// keep no operator away.
//
// Wrong tokens are counted, and told of in the log, three lines a minute at most and without the
// token; a client that names many is slowed (wrong_tokens.hpp). A right one is always heard.
//
// Thread rule: the gate is immutable; a listener has the thread of its server. Errors: 401
// token-needed and wrong-token, 429 too-many-wrong-tokens, 403 foreign-page. Tokens are compared in
// constant time.
#pragma once

#include <optional>
#include <string>

#include "common/net/http/server.hpp"
#include "common/net/http/wrong_tokens.hpp"

namespace fixkeep::net {

struct AdminOptions {
  // Port 0: there is no such listener.
  HttpOptions http{.connections = 200, .connections_per_address = 100};
  std::string token;  // empty: none is needed

  friend bool operator==(const AdminOptions&, const AdminOptions&) = default;
};

struct OperatorsListener {
  std::unique_ptr<HttpServer> http;
  std::shared_ptr<const WrongTokens> wrong_tokens;
};

// Does what HttpServer::start() does, with a gate before `handler`.
[[nodiscard]] Result<OperatorsListener> start_for_operators(boost::asio::io_context& context,
                                                            const AdminOptions& options,
                                                            HttpServer::Handler handler);

// Connections that are made from now on meet the certificate of `read`. That a client shows one
// itself, or need not, is decided at the start: `read` may name other authorities of clients, but
// not none where there are some, nor some where there are none; then nothing changes but the log.
void renew_for_operators(HttpServer& server, const AdminOptions& started, const AdminOptions& read);

class OperatorGate {
 public:
  // `certified`: a client that gets here has shown a certificate that is believed.
  explicit OperatorGate(std::string token, bool certified = false)
      : token_(std::move(token)), certified_(certified) {}

  struct Refusal {
    HttpAnswer answer;
    bool wrong_token = false;  // it named one
  };
  // None: the client is an operator.
  [[nodiscard]] std::optional<Refusal> refuse(const HttpRequest& request) const;
  // Whether a client that is not refused has shown that it is one.
  [[nodiscard]] bool knows_its_operators() const { return certified_ || !token_.empty(); }

 private:
  std::string token_;
  bool certified_;
};

}  // namespace fixkeep::net
