"""A Secret Service of one's own: a private bus with gnome-keyring on it, in the
home of a World, so that no keyring of the user's is ever touched.

Nothing here is skipped: a machine without the programs fails, and says what to
install.
"""
import contextlib
import os
import shutil
import signal
import subprocess

import harness

NEEDS = {"dbus-daemon": "dbus-daemon", "dbus-send": "dbus-bin",
         "gnome-keyring-daemon": "gnome-keyring",
         "secret-tool": "libsecret-tools"}

PROMPTER = "/usr/libexec/gcr-prompter"

CONFIG = """<!DOCTYPE busconfig PUBLIC
 "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:path={path}</listen>
<policy context="default"><allow send_destination="*" eavesdrop="true"/>
<allow eavesdrop="true"/><allow own="*"/></policy></busconfig>
"""


class Service:
    """The bus and, unless service is False, an unlocked keyring.  .env is what
    the programs need to find it."""

    def __init__(self, w, service=True):
        for program, package in NEEDS.items():
            harness.check(shutil.which(program), f"no {program}: apt-get "
                          f"install {package}")
        self.w = w
        self.keyring = None
        self.more = []
        path = w.dir / "bus"
        config = w.dir / "bus.conf"
        config.write_text(CONFIG.format(path=path))
        self.env = {"DBUS_SESSION_BUS_ADDRESS": f"unix:path={path}"}
        self.bus = subprocess.Popen(
            ["dbus-daemon", f"--config-file={config}", "--nofork"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        w.made.append(self)
        harness.until(path.exists, what="the bus")
        if service:
            self.start()

    def start(self, unlock=True):
        """A daemon; without its password the keyring is locked."""
        for name in (".cache", ".local/share/keyrings"):
            (self.w.home / name).mkdir(0o700, parents=True, exist_ok=True)
        self.keyring = subprocess.Popen(
            ["gnome-keyring-daemon", "--foreground", "--components=secrets",
             *(["--unlock"] if unlock else [])],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env=self.w.env(**self.env))
        if unlock:
            self.keyring.stdin.write(b"genkan-ci")
        self.keyring.stdin.close()
        harness.until(lambda: "boolean true" in self.call(
            "org.freedesktop.DBus", "/",
            "org.freedesktop.DBus.NameHasOwner",
            "string:org.freedesktop.secrets"), 10, 0.05, "the Secret Service")
        if unlock:
            # What its first item costs is nobody's to wait for: our programs
            # give it two seconds, whatever else the machine does.
            self.plant("warm", "x", service="warm")
            self.tool("clear", "service", "warm")

    def call(self, dest, path, method, *args):
        got = subprocess.run(
            ["dbus-send", "--session", "--print-reply", f"--dest={dest}",
             path, method, *args], env=self.w.env(**self.env),
            timeout=20 * harness.SLOW, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT)
        return got.stdout.decode(errors="replace")

    def lock(self):
        got = self.call("org.freedesktop.secrets", "/org/freedesktop/secrets",
                        "org.freedesktop.Secret.Service.Lock",
                        "array:objpath:/org/freedesktop/secrets/aliases/"
                        "default")
        harness.check("method return" in got, got)

    def restart(self, unlock=True):
        self.stop()
        self.start(unlock)

    def stop(self):
        self.keyring.kill()
        self.keyring.wait()

    def freeze(self):
        self.keyring.send_signal(signal.SIGSTOP)

    def thaw(self):
        self.keyring.send_signal(signal.SIGCONT)

    def screen(self):
        """A display with the prompter on it, as a desktop has.  Returns what
        programs need to see both."""
        for program, package in (("Xvfb", "xvfb"), ("xdotool", "xdotool"),
                                 (PROMPTER, "gcr")):
            harness.check(shutil.which(program), f"no {program}: apt-get "
                          f"install {package}")
        r, w = os.pipe()
        self.more.append(subprocess.Popen(
            ["Xvfb", "-displayfd", str(w), "-screen", "0", "800x600x24",
             "-nolisten", "tcp"], pass_fds=[w], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        os.close(w)
        with open(r) as f:
            env = {**self.env, "DISPLAY": f":{f.readline().strip()}"}
        self.more.append(subprocess.Popen(
            [PROMPTER], env=self.w.env(**env), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        harness.until(lambda: "boolean true" in self.call(
            "org.freedesktop.DBus", "/", "org.freedesktop.DBus.NameHasOwner",
            "string:org.gnome.keyring.SystemPrompter"), 10, 0.05,
            "the prompter")
        return env

    # secret-tool is somebody else's reader and writer of the same store.

    def tool(self, *args, text=None):
        return subprocess.run(
            ["secret-tool", *args], env=self.w.env(**self.env),
            timeout=20 * harness.SLOW,
            input=None if text is None else text.encode(),
            stdin=subprocess.DEVNULL if text is None else None,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def lookup(self, account):
        """The value under our service, None if there is none."""
        got = self.tool("lookup", "service", "genkan", "account", account)
        return got.stdout.decode() if got.returncode == 0 else None

    def plant(self, account, value, service="genkan"):
        got = self.tool("store", "--label=planted", "service", service,
                        "account", account, text=value)
        harness.equal(got.returncode, 0, got)

    # For the report of a failed test.
    name = "dbus-daemon"

    @property
    def p(self):
        return self.bus

    @property
    def pid(self):
        return self.bus.pid

    def log(self):
        return ""

    def close(self):
        for p in (*self.more, self.keyring, self.bus):
            if p is not None:
                with contextlib.suppress(ProcessLookupError):
                    p.send_signal(signal.SIGCONT)
                p.kill()
                p.wait()
