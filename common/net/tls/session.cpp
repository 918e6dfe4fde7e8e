#include "common/net/tls/session.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <boost/asio/error.hpp>
#include <boost/asio/ssl/error.hpp>
#include <limits>
#include <new>
#include <utility>

#include "common/base/assert.hpp"

namespace fixkeep::net {
namespace {

BIO* make_buffer() {
  BIO* const buffer = BIO_new(BIO_s_mem());
  if (buffer == nullptr) throw std::bad_alloc{};
  BIO_set_mem_eof_return(buffer, -1);  // when it is empty, more may come
  return buffer;
}

// What somebody else's call has left there would be taken for the next one's. Looking costs less
// than clearing.
void forget_errors() {
  if (ERR_peek_error() != 0) ERR_clear_error();
}

int length_of(std::size_t size) {
  FIXKEEP_ASSERT(size <= std::numeric_limits<int>::max(), std::to_string(size));
  return static_cast<int>(size);
}

}  // namespace

TlsSession::TlsSession(std::shared_ptr<boost::asio::ssl::context> context, TlsSide side)
    : context_(std::move(context)),
      ssl_(SSL_new(context_->native_handle()), SSL_free),
      input_(make_buffer()),
      output_(make_buffer()) {
  if (!ssl_) throw std::bad_alloc{};
  SSL_set_bio(ssl_.get(), input_, output_);
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
  if (result == 1) return Step::done;
  if (const auto error = error_of(result)) return error;
  return Step::needs_more;
}

void TlsSession::take(std::string_view bytes) {
  const int taken = BIO_write(input_, bytes.data(), length_of(bytes.size()));
  if (taken != length_of(bytes.size())) throw std::bad_alloc{};
}

Result<std::size_t> TlsSession::read(char* room, std::size_t size) {
  // To be told by OpenSSL that there is nothing costs as much as to read.
  if (BIO_ctrl_pending(input_) == 0 && SSL_has_pending(ssl_.get()) == 0) return std::size_t{0};
  forget_errors();
  std::size_t got = 0;
  const int result = SSL_read_ex(ssl_.get(), room, size, &got);
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
  const std::size_t size = output_size();
  if (size == 0) return;
  // Read and not reset: BIO_reset() would clear all of the room that it ever had.
  const std::size_t before = out.size();
  out.resize(before + size);
  (void)BIO_read(output_, out.data() + before, length_of(size));
}

std::size_t TlsSession::output_size() const {
  return BIO_ctrl_pending(output_);
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
