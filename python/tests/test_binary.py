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


def test_own_binary(saying, monkeypatch, tmp_path):
    """It is of the version of the package, or built from sources."""
    for version in ("dev", "v" + heldout.__version__):
        monkeypatch.setenv("HELDOUT_BIN", saying(version))
        assert heldout.cli("version").stdout == f"heldout {version} go1\n"
        _binary.checked_bin.cache_clear()
    monkeypatch.setenv("HELDOUT_BIN", saying("v9.9.9"))
    with pytest.raises(heldout.VersionMismatch, match="HELDOUT_BIN, .*, is heldout 9.9.9, and this package is .*go build"):
        heldout.cli("version")
    (tmp_path / "heldout").write_bytes(b"\x7fELF")
    with pytest.raises(heldout.Error, match="does not start .*: build one with `go build"):
        heldout.cli("version")
    monkeypatch.setenv("HELDOUT_BIN", "/no/such")
    with pytest.raises(heldout.NotFound, match="HELDOUT_BIN is '/no/such', which is not a program: build one"):
        heldout.find_bin()


def test_installed_binary(saying, monkeypatch, tmp_path):
    """So is the one of the package."""
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
    saying("dev", "scripts")
    assert heldout.cli("version").stdout == "heldout dev go1\n"
    _binary.checked_bin.cache_clear()
    saying("v9.9.9", "scripts")
    with pytest.raises(heldout.VersionMismatch, match="install the package again"):
        heldout.Pool("pddl").envs()
