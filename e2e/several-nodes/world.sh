# Machines that share this computer's programs: each has a network, and its own layer over /etc, /run, /var, /root and
# /usr/local. Runs in namespaces of its own; $HERE is this folder, $CLONE the repository.
set -euo pipefail
WORLD=/mnt
mount -t tmpfs world "$WORLD"
ip link add bridge type bridge
ip link set bridge up
cat > "$WORLD/hosts" <<'HOSTS'
127.0.0.1 localhost
10.0.0.5 keyferry.example.com
10.0.0.9 idp.example.com
HOSTS

# What a machine has before the section begins: Debian, its programs, and a built clone.
inside() {
  for folder in etc run var root usr/local opt; do
    layer=$WORLD/$1/$folder
    mkdir -p "$layer/upper" "$layer/work"
    mount -t overlay overlay -o "lowerdir=/$folder,upperdir=$layer/upper,workdir=$layer/work" "/$folder"
  done
  mkdir -p /opt/keyferry
  mount --bind "$CLONE" /opt/keyferry
  ln -sfn /opt/keyferry/node_modules/.bin/node /usr/local/bin/node
  install -t /usr/local/bin "$HERE/systemctl"
  printf '#!/bin/sh\ncat "/var/log/$2.log"\n' > /usr/local/bin/journalctl
  # The packages are installed.
  printf '#!/bin/sh\n' > /usr/local/bin/apt-get
  printf '#!/bin/bash\nto=${*: -1}\ncp "${@:1:$#-1}" "%s/${to#*@}/"\n' "$WORLD" > /usr/local/bin/scp
  chmod 755 /usr/local/bin/journalctl /usr/local/bin/apt-get /usr/local/bin/scp
  cp "$WORLD/hosts" /etc/hosts
  ip link set lo up
}
machine() {
  local name=$1 address=$2
  unshare -mn sleep infinity &
  local pid=$!
  declare -g "pid_${name//-/_}=$pid"
  while [ "$(readlink "/proc/$pid/ns/net")" = "$(readlink /proc/self/ns/net)" ]; do sleep 0.05; done
  ln -s "/proc/$pid/root/root" "$WORLD/$address:"
  ip link add "to-$name" type veth peer name wire netns "$pid"
  ip link set "to-$name" master bridge up
  on "$name" <<< "$(declare -f inside); inside $name; ip address add $address/24 dev wire; ip link set wire up"
}

# Run standard input as a script on a machine.
on() {
  local pid=pid_${1//-/_}
  nsenter --mount --net -t "${!pid}" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
    WORLD="$WORLD" HERE="$HERE" CLONE="$CLONE" bash --norc -euo pipefail
}
