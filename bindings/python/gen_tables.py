"""Prints the modules that come from the contract tables.

    gen_tables.py errors|codes|tools contract.json

What has a class here has it because a row of the tables does; nothing of it
is kept by hand.
"""
import json
import sys

HEAD = '"""{}\n\nGenerated from the contract tables of libgenkan; do not edit.\n"""\n'

# What Python has a class for already, so that its idioms hold.
BUILTIN = {"invalid-argument": "ValueError", "no-memory": "MemoryError",
           "timeout": "TimeoutError", "out-of-range": "ValueError"}
CLASSES = [
    ("CALLER", "CallerError", "The call was wrong; nothing has changed."),
    ("TRANSIENT", "TransientError", "The same call may succeed later."),
    ("CONN", "ConnectionOver", "This connection or object is dead, others"
     " are not."),
    ("FATAL", "FatalError", "The object cannot go on; close it."),
]


def camel(name):
    return "".join(w[:1].upper() + w[1:].lower()
                   for w in name.replace("-", "_").split("_"))


def doc(text):
    return text[:1].upper() + text[1:].replace('"', "'") + "."


def errors(contract):
    print(HEAD.format(
        "What a function of genkan raises when it could not do its work."))
    print("from typing import Dict, Type\n\nfrom ._base import GenkanError\n")
    for _, name, text in CLASSES:
        print(f'\nclass {name}(GenkanError):\n    """{text}"""\n')
    parents = {key: name for key, name, _ in CLASSES}
    for row in contract["errors"]:
        extra = BUILTIN.get(row["wire"])
        bases = parents[row["class"]] + (f", {extra}" if extra else "")
        print(f'\nclass {camel(row["wire"])}({bases}):\n'
              f'    """{doc(row["text"])}"""\n\n'
              f'    number = {row["number"]}\n'
              f'    code = "{row["wire"]}"\n')
    print("\nBY_NUMBER: Dict[int, Type[GenkanError]] = {")
    for row in contract["errors"]:
        print(f'    {row["number"]}: {camel(row["wire"])},')
    print("}")


def codes(contract):
    print(HEAD.format("What a call of a tool raises when it did not succeed."))
    print("from typing import Dict, Type\n\nfrom ._base import ToolError\n")
    for row in contract["codes"]:
        print(f'\nclass {camel(row["code"])}(ToolError):\n'
              f'    """{doc(row["text"])}"""\n\n'
              f'    number = {row["number"]}\n'
              f'    code = "{row["code"]}"\n'
              f'    category = "{row["category"].lower()}"\n'
              f'    retryable = {row["retryable"]}\n')
    print("\nBY_NUMBER: Dict[int, Type[ToolError]] = {")
    for row in contract["codes"]:
        print(f'    {row["number"]}: {camel(row["code"])},')
    print("}")


def tools(contract):
    print(HEAD.format("The tools that this release knows, and what the text"
                      " of their results is:\njson, text or image."))
    print("from typing import Dict\n\nRENDER: Dict[str, str] = {")
    for row in contract["tools"]:
        print(f'    "{row["name"]}": "{row["render"].lower()}",')
    print("}")


if __name__ == "__main__":
    with open(sys.argv[2], encoding="utf-8") as f:
        {"errors": errors, "codes": codes, "tools": tools}[
            sys.argv[1]](json.load(f))
