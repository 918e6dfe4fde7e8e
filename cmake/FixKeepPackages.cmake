# What nodes need of others; the locks themselves need Boost alone.
find_package(OpenSSL 3.0 REQUIRED)
find_package(Protobuf 3.21 REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(prometheus-cpp REQUIRED)
# By its file: what fmt::fmt defines would not match the precompiled headers.
find_library(FIXKEEP_FMT fmt REQUIRED)
find_library(FIXKEEP_SPDLOG spdlog REQUIRED)

add_library(fixkeep_asio_ssl STATIC "${FIXKEEP_ROOT}/cmake/asio_ssl.cpp")
target_link_libraries(fixkeep_asio_ssl PUBLIC fixkeep_asio OpenSSL::SSL)
