#include "worker/keeper/passing.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace fixkeep::worker::keeper {
namespace {

constexpr std::size_t control_bytes = CMSG_SPACE(most_passed * sizeof(int));

}  // namespace

ssize_t send_with(int socket, std::string_view bytes, const std::vector<int>& descriptors) {
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, control_bytes> control{};
  const auto count = std::min(descriptors.size(), most_passed);
  if (count != 0) {
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(count * sizeof(int));
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(count * sizeof(int));
    std::memcpy(CMSG_DATA(header), descriptors.data(), count * sizeof(int));
  }
  return ::sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

ssize_t receive_with(int socket, char* buffer, std::size_t size, std::vector<int>& descriptors,
                     int flags) {
  iovec part{buffer, size};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, control_bytes> control{};
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t count = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC | flags);
  if (count < 0) return count;
  for (cmsghdr* part_of = CMSG_FIRSTHDR(&message); part_of != nullptr;
       part_of = CMSG_NXTHDR(&message, part_of)) {
    if (part_of->cmsg_level != SOL_SOCKET || part_of->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t found = (part_of->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    const std::size_t before = descriptors.size();
    descriptors.resize(before + found);
    std::memcpy(descriptors.data() + before, CMSG_DATA(part_of), found * sizeof(int));
  }
  return count;
}

}  // namespace fixkeep::worker::keeper
