#include "common/net/tls/session.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <boost/asio/error.hpp>
#include <boost/asio/ssl/error.hpp>
#include <cstring>
#include <new>
#include <utility>

namespace fixkeep::net {
namespace {

// Clears OpenSSL's queue of errors: old errors would be taken for errors of the next call. Clears
// only if necessary, because a check costs less.
void forget_errors() {
  if (ERR_peek_error() != 0) ERR_clear_error();
}

}  // namespace

// The functions of a BIO: OpenSSL's name for the transport under a connection.
struct TlsSession::Wire {
  static TlsSession& session(BIO* wire) { return *static_cast<TlsSession*>(BIO_get_data(wire)); }

  static int read(BIO* wire, char* room, std::size_t size, std::size_t* got) {
    std::string_view& input = session(wire).input_;
    BIO_clear_retry_flags(wire);
    *got = std::min(size, input.size());
    if (*got == 0) {
      BIO_set_retry_read(wire);  // more input may follow
      return 0;
    }
    std::memcpy(room, input.data(), *got);
    input.remove_prefix(*got);
    return 1;
  }

  static int write(BIO* wire, const char* bytes, std::size_t size, std::size_t* written) {
    BIO_clear_retry_flags(wire);
    try {
      session(wire).output_.append(bytes, size);
    } catch (const std::bad_alloc&) {  // no exception may pass through OpenSSL's C code
      return 0;
    }
    *written = size;
    return 1;
  }

  static long control(BIO* wire, int command, long, void*) {
    switch (command) {
      case BIO_CTRL_FLUSH: return 1;
      case BIO_CTRL_PENDING: return static_cast<long>(session(wire).input_.size());
      case BIO_CTRL_WPENDING: return static_cast<long>(session(wire).output_.size());
      default: return 0;
    }
  }

  static BIO* make(TlsSession& session) {
    static const std::unique_ptr<BIO_METHOD, void (*)(BIO_METHOD*)> calls{make_calls(),
                                                                          BIO_meth_free};
    BIO* const wire = BIO_new(calls.get());
    if (wire == nullptr) throw std::bad_alloc{};
    BIO_set_data(wire, &session);
    BIO_set_init(wire, 1);
    return wire;
  }

  static BIO_METHOD* make_calls() {
    BIO_METHOD* const calls = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "fixkeep");
    if (calls == nullptr) throw std::bad_alloc{};
    BIO_meth_set_read_ex(calls, read);
    BIO_meth_set_write_ex(calls, write);
    BIO_meth_set_ctrl(calls, control);
    return calls;
  }
};

TlsSession::TlsSession(std::shared_ptr<boost::asio::ssl::context> context, TlsSide side)
    : context_(std::move(context)), ssl_(SSL_new(context_->native_handle()), SSL_free) {
  if (!ssl_) throw std::bad_alloc{};
  BIO* const wire = Wire::make(*this);
  SSL_set_bio(ssl_.get(), wire, wire);
  SSL_set_read_ahead(ssl_.get(), 1);
  if (side == TlsSide::client) {
    SSL_set_connect_state(ssl_.get());
  } else {
    SSL_set_accept_state(ssl_.get());
  }
}

TlsSession::~TlsSession() = default;

Result<TlsSession::Step> TlsSession::shake_hands() {
  forget_errors();
  const int result = SSL_do_handshake(ssl_.get());
  keep_input();
  if (result == 1) return Step::done;
  if (const auto error = error_of(result)) return error;
  return Step::needs_more;
}

void TlsSession::take(std::string_view bytes) {
  if (input_.empty()) {
    input_ = bytes;
    return;
  }
  keep_input();
  kept_input_.erase(0, kept_input_.size() - input_.size());
  kept_input_ += bytes;
  input_ = kept_input_;
}

Result<std::size_t> TlsSession::read(char* room, std::size_t size) {
  // First checks `input_`: a question to OpenSSL about waiting bytes costs as much as a read.
  if (input_.empty() && SSL_has_pending(ssl_.get()) == 0) return std::size_t{0};
  forget_errors();
  std::size_t got = 0;
  const int result = SSL_read_ex(ssl_.get(), room, size, &got);
  keep_input();
  if (result == 1) return got;
  if (const auto error = error_of(result)) return error;
  return std::size_t{0};
}

boost::system::error_code TlsSession::write(std::string_view bytes) {
  forget_errors();
  std::size_t written = 0;
  const int result = SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &written);
  if (result == 1) return {};
  return error_of(result);
}

void TlsSession::say_goodbye() {
  forget_errors();
  (void)SSL_shutdown(ssl_.get());
}

void TlsSession::take_output(std::string& out) {
  if (out.empty()) {
    std::swap(out, output_);
  } else {
    out += output_;
    output_.clear();
  }
}

void TlsSession::keep_input() {
  if (input_.empty()) {
    if (!kept_input_.empty()) std::string{}.swap(kept_input_);
  } else if (kept_input_.empty()) {
    kept_input_ = input_;
    input_ = kept_input_;
  }
}

bool is_plain_http(boost::system::error_code error) {
  return error.category() == boost::asio::error::get_ssl_category() &&
         ERR_GET_REASON(static_cast<unsigned long>(error.value())) == SSL_R_HTTP_REQUEST;
}

boost::system::error_code TlsSession::error_of(int result) const {
  switch (SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_WANT_READ: return {};
    case SSL_ERROR_ZERO_RETURN: return boost::asio::error::eof;
    case SSL_ERROR_SSL:
      return {static_cast<int>(ERR_get_error()), boost::asio::error::get_ssl_category()};
    default: return boost::asio::error::connection_aborted;
  }
}

}  // namespace fixkeep::net
