#!/bin/sh
# Installs the client keyferry, as this server has it:
#
#   curl -fsS ORIGIN/install.sh | sh
#   curl -fsS ORIGIN/install.sh | sh -s -- --to DIR
#
# It writes keyferry to ~/.local/bin and nothing outside your home folder. The braces make a shell read the whole
# text before it runs any of it, so half a download does nothing.
{
set -eu
# Read this text as a POSIX shell does.
if [ -n "${ZSH_VERSION-}" ]; then emulate sh; fi

origin=@ORIGIN@
version=@VERSION@
# One line for each file: platform, name, SHA-256.
files=@FILES@
# The key of the publisher, as minisign -P takes it; empty if this server has no signed list.
signer=@SIGNER@

usage() {
  cat <<'END'
Installs keyferry. Options:
  --to DIR     install to this folder instead of ~/.local/bin
  --package    install the Node.js package, even if there is a program for this system
  --from DIR   take the files from a folder instead of the server
  --older      replace a newer keyferry by this older one
END
}

# The problem, then what to do.
fail() {
  printf 'keyferry: %s\n' "$1" >&2
  shift
  for line in "$@"; do printf '  %s\n' "$line" >&2; done
  exit 1
}

has() { command -v "$1" >/dev/null 2>&1; }

parse_options() {
  bin='' from='' wants_package='' takes_older=''
  while [ $# -gt 0 ]; do
    case "$1" in
      --to | --from)
        if [ $# -lt 2 ] || [ -z "$2" ]; then fail "$1 needs a folder"; fi
        if [ "$1" = --to ]; then bin=$2; else from=$2; fi
        shift 2
        ;;
      --package) wants_package=yes; shift ;;
      --older) takes_older=yes; shift ;;
      --help | -h) usage; exit 0 ;;
      *) usage >&2; fail "unknown option $1" ;;
    esac
  done
  if [ -n "$bin" ] && [ -n "${bin##/*}" ]; then bin=$(pwd)/$bin; fi
  if [ -z "$bin" ]; then
    if [ -z "${HOME-}" ]; then fail 'HOME is not set' 'Name a folder with --to DIR.'; fi
    bin=$HOME/.local/bin
  fi
}

require_https() {
  case "$origin" in
    https://*) protocols='=https' ;;
    http://127.0.0.1 | http://127.0.0.1:* | http://localhost | http://localhost:* | 'http://[::1]' | 'http://[::1]:'*)
      protocols='=http'
      ;;
    *) fail "this server has no https address: $origin" 'A program must not be fetched over plain http. Ask the operator to set PUBLIC_URL.' ;;
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

# A Node.js that the package runs on: 20.16 or newer.
has_node() {
  has node && node -e 'process.exit(process.getBuiltinModule ? 0 : 1)' >/dev/null 2>&1 </dev/null
}

fetch() {
  if [ -n "$from" ]; then
    cp "$from/$1" "$2" || fail "$from/$1 cannot be read"
  elif has curl; then
    curl -fsS --proto "$protocols" --connect-timeout 20 -o "$2" "$origin/client/$1" </dev/null ||
      fail "$origin/client/$1 cannot be fetched" 'Try again. If it fails again, ask the operator of this server.'
  elif has wget; then
    wget -q -O "$2" "$origin/client/$1" </dev/null ||
      fail "$origin/client/$1 cannot be fetched" 'Try again. If it fails again, ask the operator of this server.'
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

refuse_older() {
  if [ -n "$takes_older" ] || [ ! -x "$bin/keyferry" ]; then return; fi
  installed=$("$bin/keyferry" --version 2>/dev/null </dev/null || true)
  if is_newer "$installed" "$version"; then
    fail "keyferry $installed is installed, and this server has the older $version; nothing was installed" \
      'To install the older one, add --older.'
  fi
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
    *) fail "the signed list is not of keyferry $version: $comment" 'Nothing was installed. Ask the operator of this server.' ;;
  esac
  year=${expires%%-*} day=${expires#*-}
  if [ "$(date -u +%Y%m%d)" -gt "$year${day%%-*}${day#*-}" ]; then
    fail "the signed list expired on $expires; nothing was installed" 'Ask the operator of this server to install a newer release.'
  fi
  signed=$work/sums
  printf 'The list is signed by the publisher, and valid until %s.\n' "$expires"
}

refuse_signature() {
  fail 'the publisher did not sign this list; nothing was installed' 'Ask the operator of this server.'
}

# A list that is signed has to name the file with this checksum.
require_listed() {
  if [ -z "${signed-}" ]; then return; fi
  while read -r listed file; do
    if [ "$listed $file" = "$sum $1" ]; then return; fi
  done <"$signed"
  fail "$1 is not in the signed list with this checksum; nothing was installed" 'Ask the operator of this server.'
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
      'Try again. If it fails again, ask the operator of this server.'
  fi
}

# In the folder of the result, so that the last step is a rename, and a running keyferry is not disturbed.
make_work_folder() {
  mkdir -p "$bin" || fail "$bin cannot be created" 'Choose another folder with --to DIR.'
  if [ -d "$bin/keyferry" ]; then fail "$bin/keyferry is a folder" 'Choose another folder with --to DIR.'; fi
  work=$bin/.keyferry-install-$$
  (umask 077 && mkdir "$work") || fail "$bin is not writable" 'Choose another folder with --to DIR.'
  trap 'rm -rf "$work"' EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
}

put_in_place() {
  mv -f "$work/keyferry" "$bin/keyferry" || fail "$bin/keyferry cannot be replaced"
}

# Returns 1 if the program does not start on this system.
install_program() {
  fetch_checked "$name" "$work/keyferry.gz"
  gunzip "$work/keyferry.gz" || fail "$name cannot be unpacked" 'Check that gunzip works and the disk has 150 MB free.'
  chmod 755 "$work/keyferry"
  if [ "$("$work/keyferry" --version 2>/dev/null </dev/null || true)" != "$version" ]; then
    rm -f "$work/keyferry"
    return 1
  fi
  put_in_place
}

install_package() {
  fetch_checked "$name" "$work/package.tgz"
  packages=${XDG_DATA_HOME:-$HOME/.local/share}/keyferry/client
  target=$packages/$version-${sum%"${sum#????????}"}
  mkdir "$work/new" && tar -xzf "$work/package.tgz" -C "$work/new" || fail "$name cannot be unpacked"
  chmod -R go+rX "$work/new"
  mkdir -p "$packages" && rm -rf "$target" && mv "$work/new/package" "$target" || fail "$packages is not writable"
  ln -s "$target/bin/keyferry.js" "$work/keyferry" || fail "$bin cannot hold a symbolic link"
  put_in_place
  # A keyferry in another folder may use an older one.
  if [ "$bin" != "${HOME-}/.local/bin" ]; then return; fi
  for old in "$packages"/*; do
    if [ "$old" != "$target" ]; then rm -rf "$old"; fi
  done
}

install_client() {
  find_file "$platform"
  if [ -n "$name" ] && [ -z "$wants_package" ]; then
    if install_program; then return; fi
    echo "keyferry: $name does not start on this system" >&2
    if [ "$libc" = -musl ]; then echo '  It needs libstdc++. On Alpine Linux: apk add libstdc++' >&2; fi
    why="the program for $platform does not start here"
  else
    why="this server has no program for $platform"
  fi
  find_file package
  if [ -z "$name" ]; then
    fail "this server has no client $version to hand out" \
      'Its operator can add it with: npm run release' "Then run this again: curl -fsS $origin/install.sh | sh"
  fi
  if ! has_node; then
    fail "$why, and Node.js 20.16 or newer was not found" 'Install Node.js, and run this again.'
  fi
  install_package
}

report() {
  printf 'Installed keyferry %s: %s\n' "$version" "$bin/keyferry"
  case ":$PATH:" in
    *":$bin:"*)
      first=$(command -v keyferry || true)
      if [ "$first" != "$bin/keyferry" ]; then
        printf 'Another keyferry comes first in your PATH: %s\n' "$first"
      fi
      ;;
    *)
      printf '%s is not in your PATH. Add this line to the start-up file of your shell, and open a new terminal:\n' "$bin"
      printf '  export PATH="%s:$PATH"\n' "$bin"
      ;;
  esac
  if [ "$origin" = http://127.0.0.1:5393 ]; then
    echo 'Next, in your project: keyferry import .env --bundle dev/app'
  else
    printf 'Next, in your project: keyferry init --server %s\n' "$origin"
  fi
}

parse_options "$@"
if [ -z "$from" ]; then require_https; fi
find_platform
make_work_folder
refuse_older
check_signature
install_client
report
}
