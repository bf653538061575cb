# What the scripts that install the client and the server share.

# The problem, then what to do.
fail() {
  printf '%s: %s\n' "$program" "$1" >&2
  shift
  for line in "$@"; do printf '  %s\n' "$line" >&2; done
  exit 1
}

has() { command -v "$1" >/dev/null 2>&1; }

require_https() {
  case "$origin" in
    https://*) protocols='=https' ;;
    http://127.0.0.1 | http://127.0.0.1:* | http://localhost | http://localhost:* | 'http://[::1]' | 'http://[::1]:'*)
      protocols='=http'
      ;;
    *) fail "$origin is not an https address" "A program must not be fetched over plain http. $without_https" ;;
  esac
}

find_platform() {
  system=$(uname -s) cpu=$(uname -m) libc=''
  case "$system" in
    Linux) system=linux ;;
    Darwin) system=darwin ;;
    MINGW* | MSYS* | CYGWIN*) fail 'this is Windows' "In PowerShell, run: irm $origin/install.ps1 | iex" ;;
  esac
  case "$cpu" in
    x86_64 | amd64) cpu=x64 ;;
    aarch64 | arm64) cpu=arm64 ;;
  esac
  # A shell that runs under Rosetta sees the wrong processor.
  if [ "$system-$cpu" = darwin-x64 ] && [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || true)" = 1 ]; then
    cpu=arm64
  fi
  if [ "$system" = linux ] && is_musl; then libc=-musl; fi
  platform=$system-$cpu$libc
}

is_musl() {
  case "$(ldd --version 2>&1 || true)" in
    *musl*) return 0 ;;
  esac
  [ -e /etc/alpine-release ]
}

# Sets `name` and `sum` for a platform; both are empty if the server has no such file.
find_file() {
  name='' sum=''
  while read -r of file hash; do
    if [ "$of" = "$1" ]; then name=$file sum=$hash; fi
  done <<END
$files
END
}

fetch() {
  if [ -n "$from" ]; then
    cp "$from/$1" "$2" || fail "$from/$1 cannot be read"
  elif has curl; then
    curl -fsSL --proto "$protocols" --proto-redir "$protocols" --connect-timeout 20 -o "$2" "$origin$folder/$1" </dev/null ||
      fail "$origin$folder/$1 cannot be fetched" "Try again. If it fails again, ask $whom."
  elif has wget; then
    wget -q -O "$2" "$origin$folder/$1" </dev/null ||
      fail "$origin$folder/$1 cannot be fetched" "Try again. If it fails again, ask $whom."
  else
    fail 'neither curl nor wget was found' 'Install one of them, and run this again.'
  fi
}

checksum() {
  if has sha256sum; then
    sha256sum <"$1"
  elif has shasum; then
    shasum -a 256 <"$1"
  else
    openssl dgst -sha256 -r <"$1"
  fi
}

# Whether version $1 is newer than $2. Both are major.minor.patch; what follows a hyphen does not count.
is_newer() {
  left=${1%%-*}. right=${2%%-*}.
  while [ -n "$left" ]; do
    case "${left%%.*}.${right%%.*}" in
      .* | *. | *[!0-9.]*) return 1 ;;
    esac
    if [ "${left%%.*}" -ne "${right%%.*}" ]; then [ "${left%%.*}" -gt "${right%%.*}" ]; return; fi
    left=${left#*.} right=${right#*.}
  done
  return 1
}

can_use_openssl() {
  has openssl && openssl dgst -blake2b512 </dev/null >/dev/null 2>&1 && openssl pkeyutl -help 2>&1 | grep -q -e -rawin
}

# $1: what was signed. $2: the signature.
openssl_verifies() {
  openssl pkeyutl -verify -pubin -keyform DER -inkey "$work/key" -rawin -in "$1" -sigfile "$2" >/dev/null 2>&1
}

# As minisign does: the digest is signed, and then the signature together with the comment.
openssl_checks() {
  {
    printf '\060\052\060\005\006\003\053\145\160\003\041\000'
    printf '%s\n' "$signer" | openssl base64 -d -A | tail -c 32
  } >"$work/key"
  printf '%s\n' "$line" | openssl base64 -d -A | tail -c 64 >"$work/signature"
  printf '%s\n' "$last" | openssl base64 -d -A >"$work/last"
  openssl dgst -blake2b512 -binary "$work/sums" >"$work/digest"
  { cat "$work/signature"; printf '%s' "$comment"; } >"$work/commented"
  case "$line" in
    RU*) openssl_verifies "$work/digest" "$work/signature" && openssl_verifies "$work/commented" "$work/last" ;;
    *) return 1 ;;
  esac
}

# Checks the list of checksums against the publisher's key, its version and its date.
check_signature() {
  if [ -z "$signer" ]; then
    if [ -z "$from" ]; then echo 'These files are not signed. Only their checksums are checked.'; fi
    return
  fi
  fetch SHA256SUMS "$work/sums"
  fetch SHA256SUMS.minisig "$work/sums.minisig"
  line='' comment='' last=''
  { read -r _ && read -r line && read -r comment && read -r last; } <"$work/sums.minisig" || true
  comment=${comment#trusted comment: }
  if has minisign; then
    minisign -V -H -q -P "$signer" -m "$work/sums" -x "$work/sums.minisig" >/dev/null 2>&1 || refuse_signature
  elif can_use_openssl; then
    openssl_checks || refuse_signature
  else
    echo 'The signature was not checked: install minisign, or OpenSSL 3. The checksums are checked.'
    return
  fi
  case "$comment" in
    "keyferry $version expires "????-??-??) expires=${comment##* } ;;
    *) fail "the signed list is not of keyferry $version: $comment" "Nothing was installed. Ask $whom." ;;
  esac
  year=${expires%%-*} day=${expires#*-}
  if [ "$(date -u +%Y%m%d)" -gt "$year${day%%-*}${day#*-}" ]; then
    fail "the signed list expired on $expires; nothing was installed" "Ask $whom for a newer release."
  fi
  signed=$work/sums
  printf 'The list is signed by the publisher, and valid until %s.\n' "$expires"
}

refuse_signature() {
  fail 'the publisher did not sign this list; nothing was installed' "Ask $whom."
}

# A list that is signed has to name the file with this checksum.
require_listed() {
  if [ -z "${signed-}" ]; then return; fi
  while read -r listed file; do
    if [ "$listed $file" = "$sum $1" ]; then return; fi
  done <"$signed"
  fail "$1 is not in the signed list with this checksum; nothing was installed" "Ask $whom."
}

fetch_checked() {
  if ! has sha256sum && ! has shasum && ! has openssl; then
    fail 'no program to compute a SHA-256 was found' 'Install sha256sum, shasum or openssl, and run this again.'
  fi
  require_listed "$1"
  printf 'Fetching %s from %s\n' "$1" "${from:-$origin}"
  fetch "$1" "$2"
  found=$(checksum "$2") || fail "the checksum of $1 cannot be computed"
  if [ "${found%% *}" != "$sum" ]; then
    fail "$1 has the wrong checksum; nothing was installed" "expected  $sum" "found     ${found%% *}" \
      "Try again. If it fails again, ask $whom."
  fi
}
