# A page of section 3 out of a public header: what its comments say, in their
# order, and its declarations as they stand.
#
#	awk -v version=V -f man3.awk include/genkan/x.h > genkan-x.3
#
# A paragraph of a comment is a paragraph; a line that begins with a tab is code.

function roff(s) {
	gsub(/\\/, "\\e", s)
	gsub(/-/, "\\-", s)
	if (s ~ /^[.']/)
		s = "\\&" s
	return s
}

function expand(s,	i, out, c) {
	out = ""
	for (i = 1; i <= length(s); i++) {
		c = substr(s, i, 1)
		if (c != "\t") {
			out = out c
			continue
		}
		do
			out = out " "
		while (length(out) % 8)
	}
	return out
}

# @name is the argument of that name.
function prose(s,	out) {
	s = roff(s)
	out = ""
	while (match(s, /@[a-z_]+/)) {
		out = out substr(s, 1, RSTART - 1) "\\fI" \
		    substr(s, RSTART + 1, RLENGTH - 1) "\\fR"
		s = substr(s, RSTART + RLENGTH)
	}
	return out s
}

# Lines a to b of text[]: paragraphs and code.
function paragraphs(a, b, first,	i, code) {
	code = 0
	for (i = a; i <= b; i++) {
		if (text[i] ~ /^\t/) {
			if (!code)
				print (first ? "" : ".PP\n") ".in +4n\n.EX"
			code = 1
			first = 0
			print roff(expand(substr(text[i], 2)))
			continue
		}
		if (text[i] == "" && code && text[i + 1] ~ /^\t/) {
			print ""
			continue
		}
		if (code)
			print ".EE\n.in"
		if (text[i] == "" && i < b && text[i + 1] !~ /^\t/)
			print ".PP"
		else if (text[i] != "") {
			if (code)
				print ".PP"
			print prose(text[i])
			first = 0
		}
		code = 0
	}
	if (code)
		print ".EE\n.in"
}

# Collected: one declaration, without what the compiler alone reads.
function declaration(s) {
	gsub(/GENKAN_API |GENKAN_CHECKED/, "", s)
	gsub(/[ \t\n]+/, " ", s)
	sub(/ ;? ?$/, ";", s)
	sub(/;;$/, ";", s)
	return s
}

# Broken behind a comma where it is long.
function print_prototype(s,	line, at) {
	print ".PP"
	line = ""
	while (length(line s) > 68 && (at = index(s, ", ")) > 0) {
		if (line != "" && length(line) + at > 68) {
			print ".B \"" line "\""
			line = "    "
		}
		line = line substr(s, 1, at + 1)
		s = substr(s, at + 2)
	}
	if (length(line s) > 76 && line !~ /^ *$/) {
		print ".B \"" line "\""
		line = "    "
	}
	print ".B \"" line s "\""
}

function remember_definition(s) {
	if (s == "" && (ndef == 0 || def[ndef] == ""))
		return
	def[++ndef] = s
}

BEGIN { state = "top"; nfn = 0; ndef = 0; ntop = 0 }

state == "top" {
	if ($0 == "/*")
		next
	if ($0 == " */") {
		state = "body"
		next
	}
	if ($0 ~ /SPDX/)
		next
	sub(/^ \*( |$)?/, "")
	top[++ntop] = $0
	next
}

state == "doc" {
	if ($0 == " */") {
		state = "declare"
		decl = ""
		next
	}
	sub(/^ \*( |$)?/, "")
	doc[nfn, ++ndoc[nfn]] = $0
	next
}

state == "declare" {
	decl = decl $0 "\n"
	if ($0 ~ /;$/) {
		proto[nfn] = declaration(decl)
		state = "body"
	}
	next
}

$0 == "/**" {
	nfn++
	ndoc[nfn] = 0
	state = "doc"
	next
}
/^#(ifndef|ifdef|if|else|endif)/ || /^#include/ { next }
/^GENKAN_(BEGIN|END)_DECLS/ || /^#define GENKAN_[A-Z]+_H$/ { next }
/^\/\* ---+ .* \*\/$/ { next }
/^typedef struct [a-z_]+ [a-z_]+;$/ { opaque[++nopaque] = $0; next }
{ remember_definition($0) }

END {
	split(top[1], head, " - ")
	file = head[1]
	name = file
	sub(/^genkan\//, "", name)
	sub(/\.h$/, "", name)
	page = "genkan-" name
	printf ".\\\" Made from <%s> by man3.awk.\n", file
	printf ".TH %s 3 \"2026-11-30\" \"genkan %s\" " \
	    "\"Library Functions Manual\"\n", toupper(page), version
	print ".nh\n.ad l"
	print ".SH NAME"
	line = ""
	for (i = 1; i <= nfn; i++) {
		split(doc[i, 1], head, " - ")
		fn[i] = head[1]
		what[i] = substr(doc[i, 1], length(head[1]) + 4)
		line = line (i > 1 ? ",\n" : "") fn[i]
	}
	# A header of types alone is known by its own name.
	print (nfn ? line : roff(page)) " \\- " roff(substr(top[1], length(file) + 4))
	print ".SH SYNOPSIS\n.nf"
	printf ".B #include <%s>\n", file
	if (nopaque)
		print ".PP"
	for (i = 1; i <= nopaque; i++)
		print ".B \"" opaque[i] "\""
	for (i = 1; i <= nfn; i++)
		print_prototype(proto[i])
	print ".fi"

	print ".SH DESCRIPTION"
	for (i = 2; i <= ntop; i++)
		text[i - 1] = top[i]
	a = 1
	b = ntop - 1
	while (a <= b && text[a] == "")
		a++
	while (b >= a && text[b] == "")
		b--
	paragraphs(a, b, 1)

	for (i = 1; i <= nfn; i++) {
		print ".SS " fn[i]
		print prose(toupper(substr(what[i], 1, 1)) substr(what[i], 2)) \
		    (what[i] ~ /[?]$/ ? "" : ".")
		# Arguments, then text.
		for (j = 2; j <= ndoc[i] && doc[i, j] != ""; j++) {
			if (doc[i, j] ~ /^@/) {
				arg = doc[i, j]
				sub(/:.*/, "", arg)
				print ".TP\n.I " substr(arg, 2)
				rest = substr(doc[i, j], length(arg) + 2)
				sub(/^ +/, "", rest)
				print prose(rest)
			} else {
				rest = doc[i, j]
				sub(/^ +/, "", rest)
				print prose(rest)
			}
		}
		k = 0
		for (j++; j <= ndoc[i]; j++)
			text[++k] = doc[i, j]
		if (k) {
			print ".PP"
			paragraphs(1, k, 1)
		}
	}

	while (ndef > 0 && def[ndef] == "")
		ndef--
	if (ndef > 0) {
		print ".SH DEFINITIONS\n.EX"
		for (i = 1; i <= ndef; i++)
			print roff(expand(def[i]))
		print ".EE"
	}
	print ".SH SEE ALSO"
	print ".BR genkan (3),\n.BR genkan\\-errors (3),\n" \
	    ".BR genkan\\-protocol (7)"
}
