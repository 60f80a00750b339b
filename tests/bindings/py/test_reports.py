"""Trust, policy and this machine."""
import json
import pathlib

import chain
import pytest
from genkan import Context, errors, local, policy, trust


def test_nothing_is_there_yet(world):
    assert trust.clients().ok
    assert trust.clients().lines[0].startswith("never paired")
    assert trust.audit() == []
    assert policy.show().data == {"v": 1, "store": "none"}
    assert policy.history().data == {"v": 1, "entries": []}
    assert trust.host_key().data["v"] == 1
    assert local.paths()["state dir"] == str(world.state)
    assert not world.state.exists()


def test_clients_are_listed_and_revoked(world):
    world.trust([("script", "ab" * 32)])
    report = trust.clients()
    assert report.ok and "script" in report.text and "ab" * 32 in report.text
    assert trust.revoke("script").ok
    assert not trust.revoke("script").ok
    assert "script" not in trust.clients().text


def test_the_kill_switch_leaves_a_record(world):
    assert trust.kill().ok
    last = trust.audit()[-1]
    assert (last["kind"], last["surface"], last["outcome"]) == (
        "kill_engage", "cli", "ok")
    assert trust.audit(limit=0) == []


def test_policy_and_language(world):
    names = policy.fields()
    assert names["cdpMode"] == "--cdp-mode" and len(names) == 15
    report = policy.restrict(disabledTools="page_eval,tab_close")
    assert not report.ok and report.data["v"] == 1
    assert "there is no policy yet" in report.data["error"]
    assert "there is no policy yet" in report.warnings
    assert policy.language().ok
    assert policy.set_language("zh_CN").ok
    assert "zh_CN" in policy.language().text


def test_what_is_wrong_is_said(world):
    with pytest.raises(errors.InvalidArgument, match="no field"):
        policy.restrict(nonsense="on")
    with pytest.raises(errors.InvalidArgument):
        policy.restrict(cdpMode="perhaps")
    with pytest.raises(ValueError):
        policy.set_language("tlh")
    with pytest.raises(errors.InvalidArgument) as e:
        trust.pair("x", hash="not a hash")
    assert e.value.detail


def test_registration_and_health(world):
    """Never by what lies beside this program, an interpreter."""
    to = world.dir / "manifests"
    to.mkdir()
    nowhere = str(world.dir / "nowhere")
    report = local.register(dir=str(to), program_dir=nowhere)
    assert not report.ok and nowhere + "/genkan-host" in report.warnings
    assert list(to.iterdir()) == []
    report = local.register(dir=str(to), program_dir=chain.installed())
    assert report.ok, report
    manifest = next(to.iterdir())
    wrapper = pathlib.Path(json.loads(manifest.read_text())["path"])
    assert f"{chain.installed()}/genkan-host" in wrapper.read_text()
    assert local.unregister(dir=str(to)).ok
    assert list(to.iterdir()) == []
    assert isinstance(local.doctor().data, dict)
    assert local.browsers(program_dir=chain.installed()).lines
    with Context(program_dir=nowhere) as context:
        report = local.register(dir=str(to), context=context)
        assert nowhere in report.warnings
        with pytest.raises(errors.InvalidArgument):
            local.doctor(context, program_dir=nowhere)
    with pytest.raises(errors.InvalidArgument):
        Context(program_dir="bin")
