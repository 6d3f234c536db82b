"""Which binary is taken, and that it is of the package's version."""

import os
import sysconfig

import pytest

import heldout
from heldout import _binary

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the stand-in for the binary is a shell script")


@pytest.fixture()
def saying(tmp_path, monkeypatch):
    """Returns what makes a binary of some version, and forgets afterwards which one was checked."""

    def make(version: str, folder: str = ".") -> str:
        binary = tmp_path / folder / "heldout"
        binary.parent.mkdir(exist_ok=True)
        binary.write_text(f"#!/bin/sh\necho heldout {version} go1\n")
        binary.chmod(0o755)
        return str(binary)

    _binary.checked_bin.cache_clear()
    yield make
    monkeypatch.undo()
    _binary.checked_bin.cache_clear()


def test_own_binary(saying, monkeypatch):
    monkeypatch.setenv("HELDOUT_BIN", saying("v9.9.9"))
    with pytest.warns(UserWarning, match="is heldout 9.9.9, but this package is"):
        assert heldout.cli("version").stdout == "heldout v9.9.9 go1\n"
    monkeypatch.setenv("HELDOUT_BIN", "/no/such")
    with pytest.raises(FileNotFoundError, match="which is not a program"):
        heldout.find_bin()


def test_installed_binary(saying, monkeypatch, tmp_path):
    """The one of the package must have its version."""
    monkeypatch.delenv("HELDOUT_BIN", raising=False)
    monkeypatch.setattr(sysconfig, "get_path", lambda *_, **__: str(tmp_path / "scripts"))
    monkeypatch.setattr(_binary, "__file__", str(tmp_path / "lib/python/site-packages/heldout/_binary.py"))
    with pytest.raises(FileNotFoundError, match="heldout is not in .*scripts.*bin"):
        heldout.find_bin()
    for folder in ("bin", "scripts"):  # the first place is the one that installers use
        made = saying(f"v{heldout.__version__}", folder)
        assert heldout.find_bin() == made
    assert heldout.cli("version").stdout.split()[1] == "v" + heldout.__version__
    _binary.checked_bin.cache_clear()
    saying("v9.9.9", "scripts")
    with pytest.raises(heldout.VersionMismatch, match="install the package again"):
        heldout.Pool("pddl").envs()
