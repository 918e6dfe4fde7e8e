// The length prefix of a frame, and the last frame of a link.
#include <algorithm>
#include <array>

#include "common/base/assert.hpp"
#include "common/wire/codec.hpp"
#include "common/wire/limits.hpp"
#include "fixkeep.pb.h"

namespace fixkeep::wire {

Result<std::size_t> payload_length(std::string_view prefix) {
  std::size_t length = 0;
  for (const char c : prefix.substr(0, prefix_bytes)) {
    length = length << 8U | static_cast<unsigned char>(c);
  }
  if (length > limits::frame_bytes) return Errc::frame_too_large;
  return length;
}

bool is_told(Errc reason) {
  constexpr std::array told{Errc::unexpected_message, Errc::implausible_counter,
                            Errc::answer_missing,     Errc::promises_refused,
                            Errc::rooms_never_open,   Errc::connect_anew};
  return std::find(told.begin(), told.end(), reason) != told.end();
}

std::string closing_frame(Errc reason) {
  FIXKEEP_ASSERT(is_told(reason), std::to_string(static_cast<int>(reason)));
  pb::Frame frame;
  frame.set_closing(static_cast<std::uint32_t>(reason));
  std::string out(prefix_bytes, '\0');  // the length fits into the last byte
  frame.AppendToString(&out);
  out[prefix_bytes - 1] = static_cast<char>(out.size() - prefix_bytes);
  return out;
}

}  // namespace fixkeep::wire
