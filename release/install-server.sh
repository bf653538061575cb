#!/bin/sh
# Installs keyferry-server from the files of a release:
#
#   curl --proto '=https' -fsSL https://RELEASE/install-server.sh | sh -s -- --from https://RELEASE
#   sudo sh FOLDER/install-server.sh --from FOLDER --system
#
# Without --system it writes to ~/.local, and needs no root. The braces make a shell read the whole text before it runs
# any of it, so half a download does nothing.
{
set -eu
# Read this text as a POSIX shell does.
if [ -n "${ZSH_VERSION-}" ]; then emulate sh; fi

origin=@ORIGIN@
version=@VERSION@
# One line for each file: what it is, name, SHA-256.
files=@FILES@
# The key of the publisher, as minisign -P takes it; empty if releases are not signed.
signer=@SIGNER@

program=keyferry-server
folder=''
whom='the publisher'
without_https='Name another one with --from.'

@PARTS@

usage() {
  cat <<'END'
Installs keyferry-server. Options:
  --from PLACE  the address or the folder that has the files of the release
  --system      install a systemd service for a team, as root: /opt/keyferry, /etc/keyferry
END
}

parse_options() {
  from='' is_system=''
  while [ $# -gt 0 ]; do
    case "$1" in
      --from)
        if [ $# -lt 2 ] || [ -z "$2" ]; then fail '--from needs an address or a folder'; fi
        case "$2" in
          https://* | http://*) origin=${2%/} ;;
          *) from=$2 ;;
        esac
        shift 2
        ;;
      --system) is_system=yes; shift ;;
      --help | -h) usage; exit 0 ;;
      *) usage >&2; fail "unknown option $1" ;;
    esac
  done
  if [ -z "$origin$from" ]; then
    fail 'this script does not know where its release is' 'Name the address or the folder of the files with --from.'
  fi
}

find_places() {
  if [ -n "$is_system" ]; then
    if [ "$(id -u)" != 0 ]; then fail '--system needs root' 'Run this as root, or without --system.'; fi
    home=/opt/keyferry bin=/usr/local/bin
    # The service runs as another user.
    umask 022
  else
    if [ -z "${HOME-}" ]; then fail 'HOME is not set'; fi
    home=${XDG_DATA_HOME:-$HOME/.local/share}/keyferry/server bin=$HOME/.local/bin
  fi
  mkdir -p "$home" "$bin" || fail "$home or $bin cannot be created"
  work=$home/.install-$$
  (umask 077 && mkdir "$work") || fail "$home is not writable"
  trap 'rm -rf "$work"' EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
}

refuse_older() {
  if [ ! -x "$home/keyferry-server" ]; then return; fi
  installed=$("$home/keyferry-server" --version 2>/dev/null </dev/null || true)
  if is_newer "$installed" "$version"; then
    fail "keyferry-server $installed is installed, and this release is $version; nothing was installed" \
      "To go back, restore a backup of that version first, and remove $home/keyferry-server."
  fi
}

unpack_server() {
  find_file "server-$platform"
  if [ -z "$name" ]; then
    fail "this release has no keyferry-server for $platform" 'Run the server from a clone: see docs/own-machine.md.'
  fi
  fetch_checked "$name" "$work/server.tar.gz"
  tar -xzf "$work/server.tar.gz" -C "$work" || fail "$name cannot be unpacked" 'Check that the disk has 250 MB free.'
  new=$work/${name%.tar.gz}
  if [ "$("$new/keyferry-server" --version 2>&1 </dev/null || true)" != "$version" ]; then
    fail "$name does not start on this system; nothing was installed"
  fi
}

# The server hands these out, as /install.sh, and trusts their list: the verified one, or that of this script.
fetch_client() {
  mkdir -p "$new/release/dist"
  if [ -n "${signed-}" ]; then
    cp "$work/sums" "$new/release/dist/SHA256SUMS"
    cp "$work/sums.minisig" "$new/release/dist/SHA256SUMS.minisig"
  else
    while read -r of file hash; do
      case "$of" in
        server-*) ;;
        *) printf '%s  %s\n' "$hash" "$file" ;;
      esac
    done >"$new/release/dist/SHA256SUMS" <<END
$files
END
  fi
  for kind in package "$platform"; do
    find_file "$kind"
    if [ -n "$name" ]; then fetch_checked "$name" "$new/release/dist/$name"; fi
  done
}

# A server that runs goes on with its own files until it is started again.
put_in_place() {
  if [ -d "$home/$version" ]; then mv "$home/$version" "$work/old"; fi
  mv "$new" "$home/$version" || fail "$home/$version cannot be written"
  link "$version/keyferry-server" "$home/keyferry-server"
}

link() {
  ln -s "$1" "$work/link" && mv -f "$work/link" "$2" || fail "$2 cannot be written"
}

add_service() {
  unit=/etc/systemd/system/keyferry.service
  if [ -e "$unit" ]; then
    printf '%s stays. Compare it with %s\n' "$unit" "$home/$version/deploy/keyferry.service"
  else
    cp "$home/$version/deploy/keyferry.service" "$unit"
  fi
  link "$home/$version/deploy/keyferry-server" "$bin/keyferry-server"
  mkdir -p /etc/keyferry
  if [ ! -e /etc/keyferry/keyferry.env ]; then
    (umask 077 && cp "$home/$version/deploy/keyferry.env.example" /etc/keyferry/keyferry.env)
  fi
  cat <<END
Installed keyferry-server $version: $home/$version
Next: write the settings to /etc/keyferry/keyferry.env, then run
  systemctl daemon-reload && systemctl enable --now keyferry && systemctl restart keyferry
END
}

report() {
  link "$home/keyferry-server" "$bin/keyferry-server"
  cat <<END
Installed keyferry-server $version: $bin/keyferry-server
Next: $bin/keyferry-server
To start it whenever you sign in: systemctl --user enable --now $home/$version/deploy/user/keyferry.service
END
}

parse_options "$@"
if [ -z "$from" ]; then require_https; fi
find_platform
find_places
refuse_older
check_signature
unpack_server
fetch_client
put_in_place
if [ -n "$is_system" ]; then add_service; else report; fi
}
