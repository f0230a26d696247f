"""The image built by buildah, and containers of it, without a daemon and without a registry.

The base is a minimal Debian 12 made from Debian's own mirror, which is what `debian:12-slim` is made of. A container is
what the compose file asks for, out of the kernel's parts: its own mounts and process numbers, a root that cannot be
written, no capabilities, no new privileges, and the image's entry point as process 1.
"""

from __future__ import annotations

import configparser
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
MIRROR = "http://deb.debian.org/debian"
BASE = "localhost/debian:12"
IMAGE = "localhost/tapwright:test"
PROGRAMS = ("buildah", "mmdebstrap", "unshare", "chroot")
BUNDLE = Path("/etc/ssl/certs/ca-certificates.crt")

ENTER = """
root=$1 data=$2; shift 2
mount --bind "$root" "$root"
mount --options remount,bind,ro "$root"
mount --bind "$data" "$root/data"
mount --types tmpfs --options mode=1777 tmpfs "$root/tmp"
mount --types proc proc "$root/proc"
mount --rbind /dev "$root/dev"
exec chroot "$root" "$@"
"""
"""What a container runtime does for `read_only`, `tmpfs` and a volume; then the words after root and data."""


def missing() -> str:
    """Why no image can be built here, or an empty string."""
    if os.geteuid() != 0:
        return "building an image without a daemon needs root"
    absent = [name for name in PROGRAMS if shutil.which(name) is None]
    return f"not installed: {', '.join(absent)}; apt-get install buildah mmdebstrap" if absent else ""


def network_secrets(folder: Path) -> list[str]:
    """What pip needs on this machine to reach its index, as build secrets: nothing of it gets into the image."""
    asked = subprocess.run([sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=True)
    settings = dict(line.replace("'", "").split("=", 1) for line in asked.stdout.splitlines() if "=" in line)
    index = settings.get("global.index-url", "")
    written = configparser.ConfigParser()
    written["global"] = {"cert": "/run/secrets/ca.pem", "timeout": "180"}
    if index.startswith("http"):
        written["global"]["index-url"] = index
    if not BUNDLE.exists():
        del written["global"]["cert"]
    with (folder / "pip.conf").open("w") as file:
        written.write(file)
    secrets = ["--secret", f"id=pip.conf,src={folder / 'pip.conf'}"]
    return [*secrets, "--secret", f"id=ca.pem,src={BUNDLE}"] if BUNDLE.exists() else secrets


@dataclass(frozen=True)
class Builder:
    """buildah with a store of its own in `folder`."""

    folder: Path

    def __call__(self, *arguments: str, timeout: float = 900) -> str:
        """One command; its standard output. Fails with what it said."""
        words = ["buildah", "--root", str(self.folder / "store"), "--runroot", str(self.folder / "run")]
        done = subprocess.run(
            [*words, "--storage-driver", "vfs", *arguments],
            env={**os.environ, "TMPDIR": str(self.folder)},
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
        said = done.stdout[-3000:] + done.stderr[-3000:]
        assert done.returncode == 0, f"buildah {' '.join(arguments)}:\n{said}"
        return done.stdout.strip()

    def base(self) -> None:
        """A minimal Debian 12 as an image."""
        context = self.folder / "base"
        context.mkdir()
        made = subprocess.run(
            ["mmdebstrap", "--variant=minbase", "bookworm", context / "base.tar", f"deb {MIRROR} bookworm main"],
            env={**os.environ, "TMPDIR": str(self.folder)},
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert made.returncode == 0, made.stderr[-3000:]
        (context / "Dockerfile").write_text("FROM scratch\nADD base.tar /\n")
        self("build", "--layers=false", "--format", "docker", "--tag", BASE, str(context))
        shutil.rmtree(context)

    def image(self) -> None:
        """The Dockerfile of this repository on that base."""
        arguments = ["--isolation", "chroot", "--layers=false", "--format", "docker", "--build-arg", f"BASE={BASE}"]
        arguments += network_secrets(self.folder)
        self("build", *arguments, "--file", str(ROOT / "docker/Dockerfile"), "--tag", IMAGE, str(ROOT))

    def config(self) -> dict[str, Any]:
        """What the image says of itself, in Docker's words."""
        return dict(json.loads(self("inspect", "--type", "image", IMAGE))["Docker"]["config"])


@dataclass(frozen=True)
class Image:
    """An image that is mounted at `root`, and the settings it carries."""

    builder: Builder
    name: str
    root: Path
    config: dict[str, Any]

    def _as_user(self, arguments: Sequence[str], env: Mapping[str, str]) -> list[str]:
        """The command as the image's user, without rights, in its folder and with its variables."""
        user, group = self.config["User"].split(":")
        words = ["setpriv", f"--reuid={user}", f"--regid={group}", "--clear-groups", "--no-new-privs"]
        words += ["--bounding-set=-all", "--inh-caps=-all", "env", "-i", f"--chdir={self.config['WorkingDir']}"]
        own = dict(one.split("=", 1) for one in self.config["Env"])
        return [*words, *(f"{name}={value}" for name, value in {**own, **env}.items()), *arguments]

    @contextlib.contextmanager
    def container(
        self, data: Path, *command: str, env: Mapping[str, str], entry: Sequence[str] | None = None
    ) -> Iterator[Container]:
        """Start the image's entry point with this command or its own; killed at the end if it still runs."""
        user, group = map(int, self.config["User"].split(":"))
        data.mkdir(exist_ok=True)
        os.chown(data, user, group)
        started = list(entry if entry is not None else self.config["Entrypoint"]) + list(command or self.config["Cmd"])
        inside = [str(self.root), str(data), *self._as_user(started, env)]
        with data.with_suffix(".log").open("ab") as log:
            process = subprocess.Popen(
                ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-ec", ENTER, "enter", *inside],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        try:
            yield Container(process, data, self, env)
        finally:
            process.kill()
            process.wait()


@dataclass(frozen=True)
class Container:
    """A container that runs; its output is in the file beside its data folder."""

    process: subprocess.Popen[bytes]
    data: Path
    image: Image
    env: Mapping[str, str]

    @property
    def first(self) -> int:
        """Its process 1, as the machine counts."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return int(children.read_text().split()[0])

    def log(self) -> str:
        return self.data.with_suffix(".log").read_text(errors="replace")

    def execute(self, *command: str, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        """What `docker exec` does: the command beside the others, as the same user."""
        words = self.image._as_user(command, {**self.env, **(env or {})})
        enter = ["nsenter", f"--target={self.first}", "--mount", "--pid", "--root", *words]
        return subprocess.run(enter, capture_output=True, text=True, timeout=60, check=False)

    def stop(self, grace: float = 15.0) -> tuple[float, int]:
        """Send the image's stop signal to process 1; seconds until the end, and the exit status."""
        started = time.monotonic()
        os.kill(self.first, getattr(signal, self.image.config["StopSignal"]))
        self.process.wait(grace)
        return time.monotonic() - started, self.process.returncode
