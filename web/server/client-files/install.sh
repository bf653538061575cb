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

program=keyferry
folder=/client
whom='the operator of this server'
without_https='Ask the operator to set PUBLIC_URL.'

@PARTS@

usage() {
  cat <<'END'
Installs keyferry. Options:
  --to DIR     install to this folder instead of ~/.local/bin
  --package    install the Node.js package, even if there is a program for this system
  --from DIR   take the files from a folder instead of the server
  --older      replace a newer keyferry by this older one
END
}

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

# A Node.js that the package runs on: 20.16 or newer.
has_node() {
  has node && node -e 'process.exit(process.getBuiltinModule ? 0 : 1)' >/dev/null 2>&1 </dev/null
}

refuse_older() {
  if [ -n "$takes_older" ] || [ ! -x "$bin/keyferry" ]; then return; fi
  installed=$("$bin/keyferry" --version 2>/dev/null </dev/null || true)
  if is_newer "$installed" "$version"; then
    fail "keyferry $installed is installed, and this server has the older $version; nothing was installed" \
      'To install the older one, add --older.'
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
