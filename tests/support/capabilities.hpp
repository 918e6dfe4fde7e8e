// A thread without one of the rights of root, as a container may withhold it.
#pragma once

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>

namespace fixkeep::support {

// Of the calling thread, for good.
inline void give_up_capability(unsigned capability) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
  if (::syscall(SYS_capget, &header, sets.data()) != 0) return;
  auto& set = sets[CAP_TO_INDEX(capability)];
  set.effective &= ~CAP_TO_MASK(capability);
  set.permitted &= ~CAP_TO_MASK(capability);
  set.inheritable &= ~CAP_TO_MASK(capability);
  ::syscall(SYS_capset, &header, sets.data());
}

}  // namespace fixkeep::support
