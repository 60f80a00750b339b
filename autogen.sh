#!/bin/sh
# Makes configure and Makefile.in from what git tracks.
set -eu
cd "$(dirname "$0")"
for tool in autoreconf libtoolize pkg-config; do
	command -v "$tool" >/dev/null || {
		echo "autogen.sh: $tool is missing; ./quickstart installs it" >&2
		exit 1
	}
done
mkdir -p build-aux
exec autoreconf --install --warnings=all
