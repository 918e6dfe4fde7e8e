// Tells operators from others at a listener that is meant for operators.
//
// Where there is a token, an operator names it: "Authorization: Bearer TOKEN" (RFC 6750), or, since
// that is what a browser asks a person for, "Basic" with the token as password and any user name
// (RFC 7617). Where there is none, every client is one, since such a listener is on the loopback
// device alone (common/net/tls/configured.hpp sees to it).
//
// A browser asks what the pages of strangers tell it to, and adds the password that it knows. So
// what a page of another origin asks is refused, and without a token also what is asked under a
// name that only happens to lead here (DNS rebinding).
//
// Thread rule: immutable; any thread. Errors: 401 token-needed and wrong-token, 403 foreign-page.
// Tokens are compared in constant time.
#pragma once

#include <optional>
#include <string>

#include "common/net/http/server.hpp"

namespace fixkeep::net {

struct AdminOptions {
  // Port 0: there is no such listener.
  HttpOptions http{.connections = 200, .connections_per_address = 100};
  std::string token;  // empty: none is needed

  friend bool operator==(const AdminOptions&, const AdminOptions&) = default;
};

class OperatorGate {
 public:
  explicit OperatorGate(std::string token) : token_(std::move(token)) {}

  // None: the client is an operator.
  [[nodiscard]] std::optional<HttpAnswer> refuse(const HttpRequest& request) const;

 private:
  std::string token_;
};

}  // namespace fixkeep::net
