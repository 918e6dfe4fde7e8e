#!/usr/bin/env bash
# Builds the programs of a real Kubernetes 1.20.2 of Debian's source package, with Debian's Go:
# kube-apiserver, kubelet, kube-scheduler, kube-controller-manager and kube-proxy. Those that are there
# already are not built again.
#
# Usage: scripts/kubernetes-build.sh FOLDER     some 12 minutes of a core, and 5 GB for as long
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh
out=$(mkdir -p "$1" && cd "$1" && pwd)
missing=()
for p in kube-apiserver kubelet kube-scheduler kube-controller-manager kube-proxy; do
  [ -x "$out/$p" ] || missing+=("$p")
done
if [ ${#missing[@]} -eq 0 ]; then exit 0; fi

export DEBIAN_FRONTEND=noninteractive
sources=/etc/apt/sources.list.d/fixkeep-src.sources
if ! apt-cache showsrc kubernetes >/dev/null 2>&1; then
  sed 's/^Types: deb$/Types: deb-src/' /etc/apt/sources.list.d/debian.sources | as_root tee "$sources" >/dev/null
  update_lists
fi
as_root "${apt[@]}" install golang-1.19-go dpkg-dev >/dev/null
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work"
apt-get source -q kubernetes >/dev/null
mkdir -p go/src/k8s.io
mv kubernetes-1.20* go/src/k8s.io/kubernetes
cd go/src/k8s.io/kubernetes
export GOPATH=$work/go GO111MODULE=off GOFLAGS='' GOCACHE=$work/cache PATH=/usr/lib/go-1.19/bin:$PATH

# Without CAP_SYS_RESOURCE nobody may lower the score by which the kernel picks whom to kill.
sed -i 's/= -99[789]/= 0/' pkg/kubelet/qos/policy.go
sed -i 's/\(defaultSandboxOOMAdj int = \)-998/\10/' pkg/kubelet/dockershim/docker_sandbox.go
# Two vendored files are older than Go 1.18: without these edits the API server dies of custom
# resources, or refuses empty strings in them.
link=vendor/github.com/modern-go/reflect2/unsafe_link.go
map=vendor/github.com/modern-go/reflect2/unsafe_map.go
type=vendor/k8s.io/kube-openapi/pkg/validation/validate/type.go
perl -0pi -e 's{//go:noescape\n(//go:linkname mapiterinit )}{$1}; s{(func mapiterinit\(rtype unsafe.Pointer, m unsafe.Pointer)\) \*hiter}{$1, it *hiter)};
  s{// rest fields are ignored}{t, h, buckets, bptr, overflow, oldoverflow unsafe.Pointer\n\tstartBucket uintptr\n\toffset uint8\n\twrapped bool\n\tbb, ii uint8\n\tbucket, checkBucket uintptr}' "$link"
sed -i 's/^\treturn &UnsafeMapIterator{$/\tit := new(hiter)\n\tmapiterinit(type2.rtype, *(*unsafe.Pointer)(obj), it)\n\treturn \&UnsafeMapIterator{/; s/hiter: *mapiterinit(type2.rtype, \*(\*unsafe.Pointer)(obj)),/hiter: it,/' "$map"
sed -i 's/if data == nil || reflect.DeepEqual(reflect.Zero(reflect.TypeOf(data)), reflect.ValueOf(data)) {/if data == nil {/' "$type"
if ! grep -q 'it \*hiter' "$link" || ! grep -q 'hiter: it' "$map" || grep -q 'reflect.Zero(reflect.TypeOf(data))' "$type"; then
  fail "the source is another one than these edits are for"
fi

say "Building Kubernetes into $out"
# One generated file is not in the source package.
packages=$(grep -rl '+k8s:openapi-gen=' --include=*.go . | grep -v _test | xargs -n1 dirname | sort -u |
  sed 's#^\./vendor/##; s#^\./staging/src/##; s#^\./#k8s.io/kubernetes/#' | sort -u | paste -sd,)
go build -o "$work/openapi-gen" ./vendor/k8s.io/kube-openapi/cmd/openapi-gen
"$work/openapi-gen" --output-file-base zz_generated.openapi --go-header-file hack/boilerplate/boilerplate.generatego.txt \
  --input-dirs "$packages" --output-package k8s.io/kubernetes/pkg/generated/openapi --report-filename "$work/violations" >/dev/null
v=k8s.io/kubernetes/vendor/k8s.io/component-base/version
for p in "${missing[@]}"; do
  go build -ldflags "-s -w -X $v.gitVersion=v1.20.2 -X $v.gitMajor=1 -X $v.gitMinor=20" -o "$out/$p" "./cmd/$p"
done
