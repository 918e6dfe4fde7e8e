#!/usr/bin/env bash
# Makes an authority, the certificates of three masters and of the workers, and the operators' token.
# Renews certificates in the folder that expire soon. Then stores all of them in Secrets, except the
# authority's key, which remains in the folder.
#
# Usage: deploy/kubernetes/certificates.sh FOLDER [WORKERS]     WORKERS: the number of workers, default 2
#
# fixkeepctl and kubectl have to be in PATH. The cluster's id is that of master.json.
set -euo pipefail
folder=$1
workers=${2:-2}
space=fixkeep
umask 077
mkdir -p "$folder"

[ -f "$folder/authority.pem" ] || fixkeepctl certs init --cluster kubernetes --dir "$folder"
missing() { # NAME …; prints the names without a certificate
  for name in "$@"; do [ -f "$folder/$name.pem" ] || echo "$name"; done
}
mapfile -t masters < <(missing m1 m2 m3)
mapfile -t new_workers < <(for i in $(seq 0 $((workers - 1))); do missing "worker-$i"; done)
[ ${#masters[@]} -eq 0 ] || fixkeepctl certs node --dir "$folder" --role master "${masters[@]}"
[ ${#new_workers[@]} -eq 0 ] || fixkeepctl certs node --dir "$folder" --role worker "${new_workers[@]}"
fixkeepctl certs renew --dir "$folder"
[ -f "$folder/token" ] || openssl rand -hex 32 >"$folder/token"

put() { # SECRET FILE …
  local secret=$1 files=()
  shift
  for file in "$@"; do files+=("--from-file=$file"); done
  kubectl -n $space create secret generic "$secret" "${files[@]}" --dry-run=client -o yaml |
    kubectl apply -f -
}
kubectl create namespace $space --dry-run=client -o yaml | kubectl apply -f -
shared=("$folder/authority.pem" "$folder/revoked.crl")
put fixkeep-masters "${shared[@]}" "$folder"/m[0-9]*.pem "$folder"/m[0-9]*.key
put fixkeep-workers "${shared[@]}" "$folder"/worker-*.pem "$folder"/worker-*.key
put fixkeep-admin "$folder/token"
