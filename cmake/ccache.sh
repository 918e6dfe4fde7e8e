#!/bin/sh
# Compiles by ccache so that a checkout finds what another one has compiled, wherever they are. Their
# precompiled headers differ, as they name their own folders; so what was precompiled is known by
# another sum, that of everything it was made of.
#
# Usage: ccache.sh CCACHE ROOT-OF-THE-CHECKOUT COMPILER ARGUMENT …
ccache=$1
root=$2
shift 2

# What is in the folder of the build, in which we are, is named from there.
last=
depfile=
for argument; do
  argument=${argument#"$PWD"/}
  case $last in
    -o) output=$argument ;;
    -MF) depfile=$argument ;;
  esac
  last=$argument
  set -- "$@" "$argument"
  shift
done

case ${output:-} in
  *.pch)
    "$@" || exit
    # The first lines name the output and CMake's own file, which includes the header by its name.
    {
      printf '%s ' "$@" | sed "s|${root}[^ ]*||g"
      "$1" --version
      tr -s '[:space:]' '\n' <"$depfile" | grep '^/' | grep -v '/cmake_pch\.' | xargs cat
    } | sha256sum >"$output.sum"
    ;;
  *)
    # CCACHE_DEPEND: otherwise ccache notes the headers before it compiles, and a header that changes
    # meanwhile gives the other checkouts an object that does not fit theirs.
    CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1 CCACHE_PCH_EXTSUM=1 CCACHE_DEPEND=1 \
      CCACHE_SLOPPINESS=pch_defines,time_macros exec "$ccache" "$@"
    ;;
esac
