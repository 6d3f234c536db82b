"""Puts a binary into a wheel.

HELDOUT_BIN is its path, and HELDOUT_PLATFORM what it was built for, such as linux/amd64; without it, this machine.
HELDOUT_SBOM is the list of its modules. `.ci/release` sets them all, and puts the licences beside this file.
"""

from __future__ import annotations

import os
import shutil
import struct
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

MACHINES = {
    "linux/amd64": "x86_64",
    "linux/arm64": "aarch64",
    "darwin/amd64": "x86_64",
    "darwin/arm64": "arm64",
    "windows/amd64": "amd64",
    "windows/arm64": "arm64",
}


class BinaryHook(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel" or version == "editable":
            return
        binary, platform = os.environ.get("HELDOUT_BIN", ""), os.environ.get("HELDOUT_PLATFORM", "")
        if not shutil.which(binary) and not platform or not os.path.isfile(binary):
            raise SystemExit(
                f"HELDOUT_BIN is {binary!r}, which is not a program, and a wheel needs the binary: build it with "
                "`CGO_ENABLED=0 go build ./cmd/heldout` in the repository, and set HELDOUT_BIN to its absolute path"
            )
        if platform and platform not in MACHINES:
            raise SystemExit(f"HELDOUT_PLATFORM is {platform!r}; there are {', '.join(MACHINES)}")
        name = "heldout.exe" if platform.startswith("windows") or not platform and os.name == "nt" else "heldout"
        build_data["shared_scripts"][os.path.abspath(binary)] = name
        build_data["tag"] = f"py3-none-{tag(platform, Path(binary)) if platform else this_machine()}"
        build_data["pure_python"] = False
        if sbom := os.environ.get("HELDOUT_SBOM"):
            build_data["sbom_files"].append(sbom)


def this_machine() -> str:
    """Returns the tag of the machine that builds."""
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")


def tag(platform: str, binary: Path) -> str:
    """Returns the tag of the platform. A static binary runs with both C libraries of Linux."""
    machine = MACHINES[platform]
    if platform.startswith("linux"):
        return f"manylinux_2_17_{machine}.manylinux2014_{machine}.musllinux_1_2_{machine}"
    if platform.startswith("darwin"):
        return f"macosx_{oldest_macos(binary.read_bytes())}_{machine}"
    return f"win_{machine}"


def oldest_macos(macho: bytes) -> str:
    """Returns the oldest macOS that a binary starts on, from its load commands: 12_0."""
    magic, count = struct.unpack_from("<I12xI", macho)
    at = 32
    for _ in range(count if magic == 0xFEEDFACF else 0):
        command, size, _, version = struct.unpack_from("<4I", macho, at)
        if command == 0x32:  # LC_BUILD_VERSION
            return f"{version >> 16}_{version >> 8 & 0xFF}"
        at += size
    raise SystemExit("the binary does not say which macOS it needs")
