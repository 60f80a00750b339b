"""The package and a program that uses it, as mypy sees them."""
import pathlib
import subprocess
import sys

import genkan
import pytest

PROGRAM = '''
import asyncio
from typing import List
import genkan

client = genkan.Client(timeout=3.0)
call: genkan.Call = client.submit("page_click", tabId=1, ref="e1")
result: genkan.Result = call.result(5)
hosts: bytes = genkan.native.header(5)
frames: List[bytes] = genkan.native.Decoder(max=9).feed(b"")
try:
    client.call("tab_list")
except genkan.codes.TabNotFound as e:
    code: str = e.code
    again: bool = e.retryable
except genkan.errors.Timeout as t:
    number: int = t.number


async def main() -> None:
    async with genkan.aio.Client() as c:
        await c.call("tab_list", timeout=1.5)


asyncio.run(main())
'''
WRONG = '''
import genkan
genkan.native.header("five")
genkan.native.Decoder().feed("text")
genkan.trust.audit(limit="all")
'''


def mypy(where, name, text):
    (where / name).write_text(text)
    package = pathlib.Path(genkan.__file__).parent
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir",
         str(where / "cache"), str(where / name), str(package)],
        capture_output=True, text=True, timeout=200)


def test_the_package_and_its_user_are_strictly_typed(tmp_path):
    pytest.importorskip("mypy", reason="no mypy here")
    good = mypy(tmp_path, "program.py", PROGRAM)
    assert good.returncode == 0, good.stdout
    bad = mypy(tmp_path, "wrong.py", WRONG)
    assert [line.split(":")[1] for line in bad.stdout.splitlines()
            if "wrong.py" in line] == ["3", "4", "5"], bad.stdout
