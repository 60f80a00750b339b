#!/bin/sh
# Rules that span the contract tables, checked on what gencontract prints.
# A row may break one of them and still compile.
#
# Runs in a build directory.  Prints every violation; fails if there is one.
set -u

srcdir=${GENKAN_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
builddir=${GENKAN_BUILDDIR:-$(pwd)}
gen=${GENCONTRACT:-$builddir/libgenkan/contract/gencontract}

if [ ! -x "$gen" ]; then
	echo "contract.sh: no $gen: run make first" >&2
	exit 1
fi
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT HUP INT TERM
mkdir "$tmp/ts" || exit 1
for what in h json tools policy1 errors3 protocol7; do
	"$gen" "$what" > "$tmp/$what" || exit 1
done
"$gen" ts "$tmp/ts" || exit 1

"${PYTHON3:-python3}" - "$srcdir" "$tmp" <<'PYTHON'
import json
import pathlib
import re
import sys

src, out = map(pathlib.Path, sys.argv[1:3])
contract = json.loads((out / "json").read_text(encoding="ascii"))
header = (out / "h").read_text(encoding="ascii")
man = {page: (out / page).read_text(encoding="ascii")
       for page in ("errors3", "protocol7")}
checks = 0
bad = []


def check(ok, what):
    global checks
    checks += 1
    if not ok:
        bad.append(what)


def distinct(values, what):
    values = list(values)
    for value in sorted({str(v) for v in values if values.count(v) > 1}):
        check(False, f"{what} {value} stands twice")
    check(len(values) > 0, f"no {what} at all")


# Numbers and names are never used twice.
errors, codes = contract["errors"], contract["codes"]
refusals, tools = contract["refusals"], contract["tools"]
frames, shapes = contract["frames"], contract["shapes"]
distinct((e["number"] for e in errors), "error number")
distinct((e["wire"] for e in errors), "error name")
distinct((e["symbol"] for e in errors), "error symbol")
distinct((c["code"] for c in codes), "result code")
distinct((r["code"] for r in refusals), "refusal code")
distinct((r["number"] for r in refusals), "refusal number")
distinct((f["tag"] for f in frames), "control tag")
distinct((t["name"] for t in tools), "tool")
distinct((p["name"] for p in contract["policy"]), "policy field")
distinct((p["flag"] for p in contract["policy"]), "policy flag")
distinct((a["kind"] for a in contract["audit"]), "audit kind")
distinct((b["key"] for b in contract["browsers"]), "browser")
distinct((r["file"] for r in contract["records"] + contract["files"]), "file")
distinct(re.findall(r"#define (\w+)", header), "public constant")
for e in errors:
    check(e["number"] < 0, f"error {e['symbol']} is not negative")
for i, r in enumerate(refusals, 1):
    check(r["number"] == i, f"refusal {r['code']} is not number {i}")

# What was published stays: frozen.txt only grows.
now = set()
for e in errors:
    now.add(f"error {e['symbol']} {e['number']} {e['wire']} {e['class']}")
for c in codes:
    now.add(f"code {c['code']} {c['number']}")
for r in refusals:
    now.add(f"refusal {r['code']} {r['number']}")
for i, f in enumerate(frames):
    now.add(f"frame {f['tag']} {f['dir']} {i}")
for i, t in enumerate(tools):
    now.add(f"tool {t['name']} {i}")
for i, p in enumerate(contract["policy"]):
    now.add(f"policy {p['name']} {i}")
for a in contract["audit"]:
    now.add(f"audit {a['kind']}")
for key, value in contract["identity"].items():
    now.add(f"identity {key} {value}")
frozen = (src / "tests/unit/contract/frozen.txt").read_text().splitlines()
check(len(frozen) > 200, "frozen.txt is cut short")
for line in frozen:
    check(line in now, f"gone or changed: {line}")

# Tools.
manifest = src / "extension/wxt.config.ts"
asked = manifest.read_text() if manifest.exists() else None
caps = contract["capabilities"]
grants = {p["name"] for p in contract["policy"] if p["kind"] == "grant"}
check(len(tools) == 26, "the catalogue does not have 26 tools")
for t in tools:
    name, props = t["name"], t["entry"]["inputSchema"].get("properties", {})
    server = name == "list_browsers"
    check((t["scope"] == "SERVER") == server, f"{name}: scope {t['scope']}")
    check((t["at"] == "SRV") == server, f"{name}: at {t['at']}")
    check(("browser" in props) != server, f"{name}: argument browser")
    check((t["capability"] in caps) != server,
          f"{name}: capability {t['capability']}")
    check(("cdpMode" in t["grants"]) == (t["perm"] == "DEBUGGER"),
          f"{name}: cdpMode and permission {t['perm']}")
    check(set(t["grants"]) <= grants, f"{name}: grants {t['grants']}")
    check(t["entry"]["description"].isascii()
          and t["entry"]["description"].strip(), f"{name}: description")
    check(t["risk"] != "CRITICAL" or t["confirm"] == "EVERY_CALL",
          f"{name}: critical without confirmation")
    check(list(props)[-1:] == ([] if server else ["browser"]),
          f"{name}: browser is not the last argument")
    check(set(t["entry"]["inputSchema"].get("required", [])) <= set(props),
          f"{name}: required argument that is none")
    check(re.search(rf"^\.B {name}$", man["protocol7"], re.M),
          f"{name}: not in the manual")
    if asked is not None:
        check(re.search(rf"\b{t['perm'].lower()}\b", asked),
              f"{name}: permission {t['perm']} not in the manifest")
check(sum(t["perm"] == "DEBUGGER" for t in tools) == 4,
      "not four tools with the debugger")
for cap in caps:
    check(any(t["capability"] == cap for t in tools),
          f"capability {cap} has no tool")
for grant in grants:
    check(any(grant in t["grants"] for t in tools), f"grant {grant} is for nothing")

# Frames.
by_tag = {f["tag"]: f for f in frames}
check(len(frames) == 47, "not 47 control tags")
for f in frames:
    tag, names = f["tag"], [m["name"] for m in f["members"]]
    check(len(set(names)) == len(names), f"{tag}: member twice")
    check("type" not in names, f"{tag}: type is implied")
    verdict = any(m["kind"] == "ok" for m in f["members"])
    for m in f["members"]:
        check(verdict or m["when"] in ("req", "opt"),
              f"{tag}.{m['name']}: depends on an ok that is not there")
    if f["dir"] == "H":
        check(f["form"] == "drop" and f["malformed"] is None,
              f"{tag}: answers a frame of the host")
        check(not f["replies"], f"{tag}: has answers")
        continue
    check(bool(f["replies"]) == (tag != "audit_event"), f"{tag}: answers")
    check((f["form"] == "drop") == (f["malformed"] is None), f"{tag}: form")
    for answer in f["replies"] + [f["malformed"]]:
        check(answer is None or by_tag[answer]["dir"] == "H",
              f"{tag}: answered by {answer}")
    if f["malformed"] is not None:
        check(f["malformed"] in f["replies"],
              f"{tag}: a malformed one is answered by {f['malformed']} only")
        members = {m["name"] for m in by_tag[f["malformed"]]["members"]}
        need = {"error": {"ok", "error"}, "reason": {"ok", "reason"},
                "clients": {"ok", "enrolled", "clients", "error"},
                "challenge": {"reason"}, "lang": {"value", "seq"}}[f["form"]]
        check(need <= members, f"{tag}: {f['malformed']} cannot say {need}")
for s in shapes:
    names = [m["name"] for m in s["members"]]
    check(len(set(names)) == len(names), f"{s['symbol']}: member twice")
for owner in frames + shapes:
    for m in owner["members"]:
        where = f"{owner.get('tag') or owner['symbol']}.{m['name']}"
        check(m["high"] == 0 or m["low"] <= m["high"], f"{where}: bounds")
        check(m["kind"] != "enum" or m["values"], f"{where}: empty set")

# Audit, places.
members = set(contract["audit_members"])
surfaces = set(contract["audit_surfaces"])
for a in contract["audit"]:
    check(set(a["members"].split()) <= members, f"audit {a['kind']}: members")
    check(set(a["surfaces"].split()) <= surfaces, f"audit {a['kind']}: surfaces")
    check(not a["event"] or a["surfaces"] == "extension",
          f"audit {a['kind']}: an event of another surface")
keys = [b["key"] for b in contract["browsers"]]
read = [k for d in contract["system_dirs"] for k in d["browsers"].split()]
check(sorted(read) == sorted(keys), "a browser without one machine-wide folder")
for d in contract["system_dirs"]:
    several = len(d["browsers"].split()) > 1
    want = "run-host.sh" if several else f"run-host-{d['browsers']}.sh"
    check(d["wrapper"] == want, f"{d['dir']}: wrapper {d['wrapper']}")

# Every code is documented, and known to the extension.
for page, text in man.items():
    for r in refusals:
        check(re.search(rf"^\.B {r['code']}$", text, re.M),
              f"refusal {r['code']} is not in {page}")
    for c in codes:
        check(re.search(rf"^\.B {c['code']}$", text, re.M),
              f"code {c['code']} is not in {page}")
for e in errors:
    check(f"GENKAN_E_{e['symbol']} " in man["errors3"],
          f"error {e['symbol']} is not in errors3")
ts = {f.name: f.read_text() for f in (out / "ts").iterdir()}
for r in refusals:
    check(f'"{r["code"]}"' in ts["refusals.ts"], f"{r['code']} not printed")
for f in frames:
    check(f'z.literal("{f["tag"]}")' in ts["frames.ts"],
          f"{f['tag']} not printed")
for name, text in ts.items():
    check(text.isascii(), f"{name} is not ASCII")
    check(name in ("index.ts", "kit.ts", "vectors.ts")
          or f'"./{name[:-3]}"' in ts["index.ts"], f"{name} not in the index")

for what in bad:
    print("contract.sh:", what)
print(f"contract.sh: {checks} checks, {len(bad)} failed")
sys.exit(1 if bad or checks < 500 else 0)
PYTHON
