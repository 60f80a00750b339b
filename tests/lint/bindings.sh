#!/bin/sh
# Python and Node reach what C does: every function of the map is called by both
# packages, every helper between C and them is used by the package's own files,
# and so is every member of a struct that a caller fills in.  What is not has a
# line in bindings.except with its reason; one that is not needed is an error.
set -u

srcdir=${GENKAN_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
py=$srcdir/bindings/python/genkan
swig=$srcdir/bindings/swig
node=$srcdir/bindings/node
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT HUP INT TERM
bad=0
fail() {
	printf '%s\n' "$*"
	bad=1
}

# Words of C without its comments.
code() {
	awk '{
		line = $0
		out = ""
		while (line != "") {
			if (skip) {
				i = index(line, "*/")
				if (i == 0)
					break
				line = substr(line, i + 2)
				skip = 0
			}
			i = index(line, "/*")
			if (i == 0) {
				out = out line
				break
			}
			out = out substr(line, 1, i - 1) " "
			line = substr(line, i + 2)
			skip = 1
		}
		print out
	}' "$@"
}

code "$swig"/py_*.i > "$tmp/swig"
code "$node"/src/*.c > "$tmp/addon"
cat "$py"/*.py > "$tmp/py"
cat "$node"/lib/*.cjs "$node/index.cjs" > "$tmp/js"

# Helpers in between that nobody uses: what they call is not reached.
awk '/^gk_[a-z_]*\(/ && last !~ /^static/ { sub(/\(.*/, ""); print }
	{ last = $0 }' "$tmp/swig" > "$tmp/helpers"
while read -r f; do
	grep -qw "_genkan\.$f" "$tmp/py" || fail "$swig: $f() is not used"
done < "$tmp/helpers"
sed -n 's/^	{ "\([A-Za-z_]*\)", [a-z_]*,\( "[^"]*" },\)\{0,1\}$/\1/p' \
	"$tmp/addon" > "$tmp/exports"
while read -r f; do
	grep -qw "addon\.$f" "$tmp/js" || fail "$node/src: $f() is not used"
done < "$tmp/exports"
sed -n 's/^	{ "\([A-Za-z]*\)", [A-Za-z_]*, [a-z_A-Z]* },$/\1/p' "$tmp/addon" \
	> "$tmp/acts"
while read -r f; do
	grep -q "act('$f'" "$tmp/js" || fail "$node/src: the act $f is not used"
done < "$tmp/acts"
for list in helpers exports acts; do
	[ "$(wc -l < "$tmp/$list")" -ge 20 ] || fail "too few $list found"
done

# NAME WHERE...: where each name of the public C interface should be found.
# Functions are called, members are named behind a dot or an arrow.
sed -n 's/^[[:space:]]*\(genkan_[a-z0-9_]*\);/\1/p' \
	"$srcdir/libgenkan/genkan.map" > "$tmp/functions"
for h in "$srcdir"/include/genkan/*.h; do
	code "$h"
done | awk '
	/^typedef struct genkan_[a-z_]*(options|event|store|facts|rp|authdata) \{/ {
		name = $3
		next
	}
	/^}/ { name = "" }
	name != "" && /;/ {
		gsub(/\[[^]]*\]/, "")		# bounds
		sub(/\)\(.*/, "")		# parameters of a function
		gsub(/[*();]/, " ")
		n = split($0, w, " ")
		if (w[n] != "reserved" && w[n] != "size")
			print name "." w[n]
		next
	}
	# A function whose parameters go on in the next line.
	name != "" && /\)\(/ {
		sub(/\)\(.*/, "")
		n = split($0, w, /[ *(]+/)
		print name "." w[n]
		getline
	}' > "$tmp/members"
[ "$(wc -l < "$tmp/members")" -ge 40 ] || fail "too few members found"

reached() {	# NAME LANGUAGE
	case $1 in
	*.*)
		case $2 in
		python) src=$tmp/swig ;;
		*) src=$tmp/addon ;;
		esac
		# In a function that has to do with the struct.
		awk -v of="${1%%.*}" -v m="${1#*.}" '
			{ text = text $0 "\n" }
			/^}|^$/ && text ~ "(^|[^a-z_])" of "([^a-z_]|$)" &&
			    text ~ "(\\.|->)" m "([^a-z_]|$)" { found = 1 }
			/^}/ || (/^$/ && text !~ /\n{/) { text = "" }
			END { exit !found }' "$src"
		;;
	*)
		case $2 in
		python) grep -qw "_genkan\.$1" "$tmp/py" ||
			grep -q "\b$1(" "$tmp/swig" ;;
		*) grep -qw "$1" "$tmp/addon" ;;
		esac
		;;
	esac
}

except=$srcdir/tests/lint/bindings.except
sed -n 's/^\([^#[:space:]][^[:space:]]*\)[[:space:]]*\(python\|node\|both\)[[:space:]]*\(.*\)/\1 \2 \3/p' \
	"$except" > "$tmp/except"
[ "$(grep -c '^[^#]' "$except")" -eq "$(wc -l < "$tmp/except")" ] ||
	fail "$except: a line that is none"
excepted() {
	grep -qE "^$1 ($2|both) .{10}" "$tmp/except"
}

n=0
while read -r name; do
	n=$((n + 1))
	for language in python node; do
		if reached "$name" "$language"; then
			excepted "$name" "$language" &&
				fail "$except: $language has $name now"
		else
			excepted "$name" "$language" ||
				fail "$name: not to be had from $language"
		fi
	done
done << END
$(cat "$tmp/functions" "$tmp/members")
END
cut -d' ' -f1 "$tmp/except" | while read -r name; do
	grep -qx "$name" "$tmp/functions" "$tmp/members" ||
		printf '%s: there is no %s\n' "$except" "$name"
done > "$tmp/gone"
[ -s "$tmp/gone" ] && fail "$(cat "$tmp/gone")"

[ "$n" -gt 150 ] || fail "$n names only"
[ "$bad" -eq 0 ] && echo "bindings.sh: $n names, $(wc -l < "$tmp/except") of them excepted"
exit "$bad"
