// TLS of Asio, compiled once.
#include <boost/asio/ssl/impl/src.hpp>
