#include "lock/engines/library_socket.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <utility>

namespace fixkeep::engine {

using boost::asio::posix::stream_descriptor;
using boost::system::error_code;

namespace {

std::uint64_t inode_of(int socket) {
  struct stat status {};
  return ::fstat(socket, &status) == 0 ? status.st_ino : 0;
}

}  // namespace

void LibrarySocket::watch(int socket, bool read, bool write, const std::weak_ptr<void>& owner) {
  const auto inode = socket < 0 ? 0 : inode_of(socket);
  if (inode != inode_) drop();
  if (inode == 0) return;
  if (!descriptor_.is_open()) {
    const int copy = ::fcntl(socket, F_DUPFD_CLOEXEC, 0);
    if (copy < 0) return;
    descriptor_.assign(copy);
    inode_ = inode;
  }
  if (read && !std::exchange(reading_, true)) wait(Ready::read, reading_, owner);
  if (write && !std::exchange(writing_, true)) wait(Ready::write, writing_, owner);
}

void LibrarySocket::wait(Ready direction, bool& waiting, const std::weak_ptr<void>& owner) {
  const auto type =
      direction == Ready::read ? stream_descriptor::wait_read : stream_descriptor::wait_write;
  descriptor_.async_wait(
      type, [this, direction, &waiting, owner, generation = generation_](error_code error) {
        const auto kept = owner.lock();
        if (!kept || generation != generation_) return;
        waiting = false;
        if (!error) on_ready_(direction);
      });
}

void LibrarySocket::drop() {
  ++generation_;
  reading_ = writing_ = false;
  inode_ = 0;
  if (!descriptor_.is_open()) return;
  const auto carried = tcp_bytes(descriptor_.native_handle());
  earlier_.sent += carried.sent;
  earlier_.received += carried.received;
  descriptor_.close();
}

void LibrarySocket::break_connection() {
  if (descriptor_.is_open()) ::shutdown(descriptor_.native_handle(), SHUT_RDWR);
}

bool LibrarySocket::send(const char* data, std::size_t size) {
  if (!descriptor_.is_open()) return false;
  return ::send(descriptor_.native_handle(), data, size, MSG_DONTWAIT | MSG_NOSIGNAL) ==
         static_cast<ssize_t>(size);
}

void LibrarySocket::drain(std::function<void()> done) {
  const auto rubbish = std::make_shared<std::array<char, 1024>>();
  descriptor_.async_read_some(
      boost::asio::buffer(*rubbish),
      [this, rubbish, done = std::move(done)](error_code error, std::size_t) mutable {
        if (error) {
          done();
        } else {
          drain(std::move(done));
        }
      });
}

TcpBytes LibrarySocket::bytes() {
  auto all = earlier_;
  if (descriptor_.is_open()) {
    const auto carried = tcp_bytes(descriptor_.native_handle());
    all.sent += carried.sent;
    all.received += carried.received;
  }
  return all;
}

}  // namespace fixkeep::engine
