# One machine: runs as the first process of its own network, mount, UTS, IPC and PID namespaces.
#   node.sh NAME ADDRESS FOLDER        FOLDER holds: key.pub host_key
# It says "made" when its file systems are there, waits for a line (its network), says "up", and
# ends, with everything in it, when its stdin closes.
set -e
name=$1 address=$2 shared=$3
base=$shared/machine         # only a mount point: what is written goes to a tmpfs on it
mkdir "$base"
mount --make-rprivate /
mount -t tmpfs -o size=${SIZE:-64m} assay-node "$base"
mkdir "$base/up" "$base/work" "$base/root"
root=$base/root
mount -t overlay overlay -o "lowerdir=/,upperdir=$base/up,workdir=$base/work" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs -o ro sysfs "$root/sys" 2>/dev/null || true
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for device in null zero full random urandom tty; do
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
ln -s /proc/self/fd "$root/dev/fd"
mount -t tmpfs -o mode=755 tmpfs "$root/run"
mount -t tmpfs -o mode=1777,size=4m tmpfs "$root/tmp"
mkdir -p "$root/run/sshd" "$root/run/lab"
cp "$shared/key.pub" "$shared/host_key" "$root/run/lab/"
chmod 600 "$root/run/lab/host_key"
hostname "$name"
grep -q '^sshd:' "$root/etc/passwd" || echo 'sshd:x:65533:65534::/run/sshd:/usr/sbin/nologin' >> "$root/etc/passwd"
rm -f "$root"/etc/motd "$root/root/.bashrc" "$root/root/.profile"
[ -z "$PREPARE" ] || (cd "$root" && eval "$PREPARE")
echo made
read -r _
ip link set lo up
ip addr add "$address/24" dev eth0
ip link set eth0 up
chroot "$root" /usr/sbin/sshd -D -e -f /dev/null -p 22 -o PidFile=none -o UsePAM=no \
  -o HostKey=/run/lab/host_key -o AuthorizedKeysFile=/run/lab/key.pub -o StrictModes=no \
  -o PermitRootLogin=prohibit-password -o PasswordAuthentication=no -o UseDNS=no \
  -o AllowAgentForwarding=yes -o X11Forwarding=yes $SSHD < /dev/null > "$shared/log" 2>&1 &
echo "up $base"
cat > /dev/null
