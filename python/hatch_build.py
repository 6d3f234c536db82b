"""Puts the binary of one platform into a wheel.

HELDOUT_BINARY is its path and HELDOUT_TAG the platform of the wheel, such as win_amd64. `.ci/release` sets both.
"""

import os
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class BinaryHook(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel" or version == "editable":
            return
        binary, tag = os.environ.get("HELDOUT_BINARY"), os.environ.get("HELDOUT_TAG")
        if not binary or not tag:
            raise SystemExit(
                "there is no wheel of heldout for this platform: build the binary with `go build ./cmd/heldout`, "
                "then set HELDOUT_BINARY to its path and HELDOUT_TAG to the platform's tag"
            )
        name = "heldout.exe" if tag.startswith("win") else "heldout"
        build_data["shared_scripts"][os.path.abspath(binary)] = name
        build_data["tag"] = f"py3-none-{tag}"
        build_data["pure_python"] = False
