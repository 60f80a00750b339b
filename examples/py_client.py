#!/usr/bin/env python3
"""Lists the browsers, reads the page in front, and clicks the first thing that
can be clicked there.

    genkan pair-client --name python --hash \\
        "$(sha256sum "$(readlink -f "$(which python3)")" | cut -c1-64)"
    py_client.py [FOLDER-OF-GENKAN-SERVER]
"""
import asyncio
import re
import sys

import genkan


async def main(programs=None):
    async with genkan.aio.Client(programs) as client:
        found = await client.call("list_browsers")
        for browser in found["browsers"]:
            print(f'{browser["label"]}: {browser["tabCount"]} tabs')
        tabs = await client.call("tab_list")
        tab = next((t for t in tabs if t.get("active")), tabs[0])["id"]
        outline = await client.call("page_snapshot", tabId=tab)
        print(outline)
        ref = re.search(r"\[ref=(e\d+)\]", outline)
        if ref is not None:
            done = await client.call("page_click", tabId=tab, ref=ref[1])
            print("clicked", done["clicked"])


try:
    asyncio.run(main(*sys.argv[1:2]))
except genkan.GenkanError as e:
    sys.exit(f"{e.code}: {e}")
