// The server as requirements.txt and conversations.txt want it.
#include "tests/unit/common/net/http/talk.hpp"

namespace fixkeep::net::test {
namespace {

// With a server that answers "METHOD TARGET host=HOST body=BODY".
class ServerTalk : public HttpTalk {
 public:
  std::string run(std::string_view line) override {
    support::Words words{line};
    if (!line.starts_with("server ")) return HttpTalk::run(line);
    renew();
    server_.reset();
    options_ = {};
    (void)words.next();
    while (!words.done()) {
      const auto word = words.next();
      const auto value = word.substr(word.find('=') + 1);
      if (word.starts_with("origin=")) options_.allowed_origins.push_back(value);
      if (word.starts_with("header_bytes=")) options_.header_bytes = std::stoul(value);
      if (word.starts_with("body_bytes=")) options_.body_bytes = std::stoul(value);
    }
    return {};
  }

 private:
  std::uint16_t port() override {
    if (!server_) server_.emplace(answer_all, options_);
    return server_->port();
  }
  static void answer_all(const HttpRequest& request, const HttpResponder& responder) {
    responder.answer(
        text(std::string{request.method_string()} + " " + std::string{request.target()} +
             " host=" + std::string{request[http::field::host]} + " body=" + request.body()));
  }

  HttpOptions options_;
  std::optional<RunningServer> server_;
};

const bool conversations = [] {
  const auto make = [] { return std::make_unique<ServerTalk>(); };
  const std::string folder = "tests/unit/common/net/http/";
  return support::register_scripts(folder + "requirements.txt", make) &&
         support::register_scripts(folder + "conversations.txt", make);
}();

}  // namespace
}  // namespace fixkeep::net::test
