#!/bin/sh
# Runs what the examples promise.
set -u
bad=0
check() {
	if [ "$2" = "$3" ]; then
		echo "ok: $1"
	else
		echo "FAILED: $1: is '$2', wanted '$3'"
		bad=1
	fi
}
hex() { od -An -v -tx1 | tr -d ' \n'; }
echo=$GENKAN_BUILDDIR/examples/native_echo

two=$(printf '\002\000\000\000{}\007\000\000\000{"a":1}' | "$echo" | hex)
check 'two messages come back, each with its length' "$two" \
	'020000007b7d070000007b2261223a317d'
err=$(printf '\377\377\377\377' | "$echo" 2>&1 >/dev/null)
check 'a length of four gigabytes is refused in words' "$err" \
	'native_echo: frame exceeds the limit'
printf '\005\000\000\000{}' | "$echo" >/dev/null 2>&1
check 'an end inside a message is a failure' $? 1
# The ceremony that Chromium recorded, for the extension id that it had.
rp=$GENKAN_BUILDDIR/examples/webauthn_rp
origin=chrome-extension://iamokonadojkdahbakmadaljenafghfg
client() {
	printf '{"type":"%s","challenge":"%s","origin":"%s","crossOrigin":false}' \
	    "$1" "$2" "$origin" | hex
}
made=6gMWLVz3Y4j3mH1ZY6DLZW4KfyVvEGQG9NiU03Q9q0M
used=CnZlVu47uyJjmhqTZsUZ9BjfONGu4THSawDijMrgY-0
object='a363666d74646e6f6e656761747453746d74a068617574684461746158a42668'\
'2712068e0ce8a1db4dc9e04fc7a37b4571b2dc06e918bbab29bfc0f5ec9b4500'\
'0000010102030405060708010203040506070800202ae79e304489c8fa20a939'\
'81dc63bd055e86959a54457ab4234acd5f3bc84845a5010203262001215820d7'\
'5d0cf3988d7945423010c21246a806d04b7deffb05d096550c16cd8364d95622'\
'58205a586fab00c23dbbe13bb7a2afdaf4fbc1764d53a0fd106b87a4c9bd16bf'\
'1785'
data='26682712068e0ce8a1db4dc9e04fc7a37b4571b2dc06e918bbab29bfc0f5ec9b'\
'0500000002'
signature='304402207202d88fd72aebe76225c5f64f5d87559ef5fa2c3d82375896fdebab'\
'af8aaf5602200a57d094f048d937c631cbf1a68bd5fd5361428aa585dfdbba46'\
'ca948f9fa4d5'
register="register $made $object $(client webauthn.create $made)"
assert="assert $used $data $(client webauthn.get $used) $signature"
out=$(printf '%s\n' "$register" "$assert" "$assert" |
    "$rp" "$origin" "$origin" 2>&1)
check 'a ceremony is accepted once' "$out" 'register: accepted, counter 1
assert: accepted, counter 2
assert: refused: sign_count_not_increased, the signature counter did not increase'
out=$(printf '%s\n' "$register" | "$rp" "$origin" https://example.com 2>&1)
check 'another origin is refused' "$out" \
	'register: refused: origin_mismatch, the client data comes from another origin'
printf '%s\n' "$assert" | "$rp" "$origin" "$origin" >/dev/null 2>&1
check 'an assertion without a credential is no ceremony' $? 1
# A broker and its client in one program, with events by callback.
callbacks=$GENKAN_BUILDDIR/examples/callbacks
out=$("$callbacks" list_browsers 2>&1)
check 'a tool is called back' "$?:$out" \
	'0:OK {"count":0,"browsers":[]}
the callbacks are not needed any more'
out=$("$callbacks" no_such_tool 2>&1)
check 'a refusal too' "$?:$out" '1:INVALID_ARGUMENT unknown tool: no_such_tool
the callbacks are not needed any more'
out=$("$callbacks" tab_list '[' 2>&1)
check 'arguments that are none are told from inside' "$?:$out" \
	'2:callbacks: these are no arguments
the callbacks are not needed any more'
exit $bad
