"""A broker and a scripted browser, and this interpreter as a paired client."""
import hashlib
import sys

import harness


def own_hash():
    with open("/proc/self/exe", "rb") as f:
        return hashlib.file_digest(f, "sha256").hexdigest() if hasattr(
            hashlib, "file_digest") else hashlib.sha256(f.read()).hexdigest()


def broker(w, paired=True, ops=None, browser=True):
    """Starts both; returns the broker and the browser's host."""
    w.trust([("script", own_hash() if paired else "00" * 32)])
    # One with a client of its own stays when the others leave; that client
    # would have to be paired too.
    server = w.server(*([] if paired else ["--broker"]))
    harness.until(lambda: (w.lock() or {}).get("pid") == server.pid,
                  what="becoming the broker")
    host = w.host("chrome", ops=ops or {}).attached() if browser else None
    return server, host


def installed():
    """Where the programs are."""
    return str(harness.BUILD)


if __name__ == "__main__":
    print(own_hash(), sys.executable)
