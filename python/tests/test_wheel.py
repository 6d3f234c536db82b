"""The build of wheels, with a stand-in for the binary."""

import hashlib
import importlib.util
import os
import shutil
import struct
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("hatchling", reason="pip install hatchling")

PACKAGE = Path(__file__).parents[1]
LINUX = "manylinux_2_17_{0}.manylinux2014_{0}.musllinux_1_2_{0}"


def hook():
    spec = importlib.util.spec_from_file_location("hatch_build", PACKAGE / "hatch_build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def macho(major: int, minor: int) -> bytes:
    """The beginning of a binary for macOS: a segment, then the command that says which macOS it needs."""
    segment = struct.pack("<2I64x", 0x19, 72)
    version = struct.pack("<6I", 0x32, 24, 1, major << 16 | minor << 8, 0, 0)
    return struct.pack("<8I", 0xFEEDFACF, 0, 0, 2, 2, len(segment + version), 0, 0) + segment + version


@pytest.fixture()
def sources(tmp_path: Path) -> Path:
    copy = tmp_path / "package"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__", "dist", ".*"))
    (copy / "LICENSE").write_text("the licence")
    (copy / "NOTICE.txt").write_text("the licences of others")
    (copy / "heldout.cyclonedx.json").write_text("{}")
    return copy


def build(sources: Path, out: Path, target: str = "wheel", **variables: str) -> subprocess.CompletedProcess[str]:
    env = {k: v for k, v in os.environ.items() if not k.startswith("HELDOUT")}
    return subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(out)],
        cwd=sources,
        env={**env, **variables},
        capture_output=True,
        text=True,
    )


def program(folder: Path, content: bytes = b"#!/bin/sh\necho it runs\n") -> str:
    binary = folder / "binary"
    binary.write_bytes(content)
    binary.chmod(0o755)
    return str(binary)


@pytest.mark.parametrize(
    ("platform", "tag"),
    [
        ("linux/amd64", LINUX.format("x86_64")),
        ("linux/arm64", LINUX.format("aarch64")),
        ("darwin/amd64", "macosx_12_0_x86_64"),
        ("darwin/arm64", "macosx_12_0_arm64"),
        ("windows/amd64", "win_amd64"),
        ("windows/arm64", "win_arm64"),
    ],
)
def test_wheel(sources, tmp_path, platform, tag):
    """What a wheel holds; the same files give the same bytes elsewhere and later."""
    binary = program(tmp_path, macho(12, 0))
    sums = set()
    for out in (tmp_path / "a", tmp_path / "elsewhere" / "b"):
        done = build(sources, out, HELDOUT_BIN=binary, HELDOUT_PLATFORM=platform, HELDOUT_SBOM="heldout.cyclonedx.json")
        assert done.returncode == 0, done.stderr
        (wheel,) = out.iterdir()
        sums.add(hashlib.sha256(wheel.read_bytes()).hexdigest())
        sources = sources.rename(sources.with_name("moved"))
    assert len(sums) == 1
    assert wheel.name.endswith(f"-py3-none-{tag}.whl")
    with zipfile.ZipFile(wheel) as opened:
        names = opened.namelist()
        about = wheel.name.split("-py3")[0]
        script = f"{about}.data/scripts/heldout" + (".exe" if platform.startswith("windows") else "")
        assert opened.read(script) == Path(binary).read_bytes()
        assert opened.getinfo(script).external_attr >> 16 & 0o111 == 0o111
        for name in ("licenses/LICENSE", "licenses/NOTICE.txt", "sboms/heldout.cyclonedx.json"):
            assert f"{about}.dist-info/{name}" in names
        assert "heldout/py.typed" in names and "tests" not in {name.split("/")[0] for name in names}
        for one in tag.split("."):
            assert f"Tag: py3-none-{one}\n" in opened.read(f"{about}.dist-info/WHEEL").decode()


def test_sources(sources, tmp_path):
    """The sources ask for a binary, and take any."""
    assert build(sources, tmp_path, "sdist").returncode == 0
    (archive,) = tmp_path.glob("*.tar.gz")
    shutil.unpack_archive(archive, tmp_path / "unpacked")
    (unpacked,) = (tmp_path / "unpacked").iterdir()
    for variables in ({}, {"HELDOUT_BIN": str(tmp_path / "none")}, {"HELDOUT_PLATFORM": "linux/amd64"}):
        done = build(unpacked, tmp_path / "wheel", **variables)
        assert done.returncode != 0 and "go build" in done.stderr and "HELDOUT_BIN" in done.stderr
    binary = program(tmp_path)
    done = build(unpacked, tmp_path / "wheel", HELDOUT_BIN=binary, HELDOUT_PLATFORM="plan9/mips")
    assert done.returncode != 0 and "windows/arm64" in done.stderr
    assert build(unpacked, tmp_path / "wheel", HELDOUT_BIN=binary).returncode == 0
    (wheel,) = (tmp_path / "wheel").iterdir()
    assert wheel.name.endswith(f"-py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}.whl")


def test_oldest_macos():
    oldest = hook().oldest_macos
    assert oldest(macho(12, 0)) == "12_0" and oldest(macho(10, 15)) == "10_15"
    for other in (b"\x7fELF" + bytes(64), macho(12, 0)[:32].replace(b"\x02\0\0\0", b"\0\0\0\0") + bytes(64)):
        with pytest.raises(SystemExit, match="which macOS"):
            oldest(other)
