// Boost.JSON, compiled here. Leave this file out where the program links that library.
#include <boost/json/src.hpp>
