// Writes answers as bytes. The head of an HTTP/1.1 response is written by hand.
//
// http::response and its serializer cost about a fifth of a small request's time (a node and an
// allocation for each field, a buffer sequence for each write). A head with six known fields does
// not need these classes. Thread rule: free functions without state.
#pragma once

#include <string>
#include <string_view>

#include "common/net/http/server.hpp"

namespace fixkeep::net {

struct HttpAnswerForm {
  std::string_view date;    // IMF-fixdate
  bool keep_alive = true;   // the connection may serve another request
  bool old_client = false;  // HTTP/1.0: keep-alive needs a field
  bool head_only = false;   // the request was HEAD
  std::string_view fields;  // further lines of the head, each with CRLF before it
};

// Writes the answer to `out`. Replaces its contents and reuses its memory.
void write_answer(const HttpAnswer& answer, const HttpAnswerForm& form, std::string& out);

// Writes the head of an answer without a length. The end of the connection ends the answer. Caches
// do not store this answer. Proxies forward each part immediately (nginx: X-Accel-Buffering).
// `fields`: further lines, each with CRLF before it.
void write_stream_head(std::string_view content_type, std::string_view date,
                       std::string_view fields, std::string& out);

// Returns the present time as in a Date field: "Sun, 06 Nov 1994 08:49:37 GMT".
[[nodiscard]] std::string http_date();

}  // namespace fixkeep::net
