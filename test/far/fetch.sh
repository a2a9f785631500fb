#!/bin/bash
# fetch.sh RELEASE ARCHITECTURE FOLDER PACKAGE…
#
# Unpacks Debian packages of another release or processor into FOLDER, from the mirror that this machine uses, with lists and
# a cache of its own: the system's packages and architectures stay as they are. Does nothing when they are there already.
# `kernel` stands for the newest kernel of the release for cloud machines.
set -euo pipefail
RELEASE=$1 ARCHITECTURE=$2 FOLDER=$3
shift 3
[ ! -e "$FOLDER/.complete" ] || exit 0
rm -rf "$FOLDER"
mkdir -p "$FOLDER"
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
MIRROR=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -m 1 'debian/\?$')
mkdir -p "$WORK"/{lists/partial,cache/archives/partial}
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $MIRROR $RELEASE main" > "$WORK/sources.list"
: > "$WORK/status"
APT=(-qq -o "Dir::State::lists=$WORK/lists" -o "Dir::State::status=$WORK/status" -o "Dir::Cache=$WORK/cache"
  -o "Dir::Etc::sourcelist=$WORK/sources.list" -o Dir::Etc::sourceparts=- -o "APT::Architecture=$ARCHITECTURE"
  -o "APT::Architectures=$ARCHITECTURE" -o APT::Sandbox::User=root -o Acquire::Languages=none)
apt-get "${APT[@]}" update
for PACKAGE in "$@"; do
  if [ "$PACKAGE" = kernel ]; then
    PACKAGE=$(apt-cache "${APT[@]}" depends "linux-image-cloud-$ARCHITECTURE" | sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1)
  fi
  (cd "$WORK" && apt-get "${APT[@]}" download "$PACKAGE")
done
for FILE in "$WORK"/*.deb; do dpkg-deb -x "$FILE" "$FOLDER"; done
touch "$FOLDER/.complete"
