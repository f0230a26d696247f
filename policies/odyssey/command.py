"""`tapwright odyssey`: check a folder of weights, and serve the network."""

from __future__ import annotations

import json
import socket
import sys
import time
from functools import partial
from pathlib import Path
from typing import Annotated, Literal, NoReturn

import typer

from policies.odyssey import source
from policies.odyssey.source import VOCABULARY, Dtype, NoNetwork, Source

group = typer.Typer(help="OdysseyAgent, served on this machine.", no_args_is_help=True)
Folder = Annotated[Path, typer.Argument(help="A checkpoint: config.json, qwen.tiktoken and the weights.")]


def _fail(message: str, advice: str = "") -> NoReturn:
    typer.echo(f"tapwright: {message}", err=True)
    if advice:
        typer.echo(f"           {advice}", err=True)
    raise typer.Exit(1)


@group.command()
def check(folder: Folder) -> None:
    """Verify a folder before serving it: sizes, names, shapes, vocabulary. No weights are read into memory."""
    try:
        source.need_torch()
    except NoNetwork as error:
        _fail(str(error), error.advice)
    from policies.odyssey import tokenizer, weights

    started = time.monotonic()
    try:
        config, files = weights.verify(folder)
        words = tokenizer.read(folder / VOCABULARY)
        if words.size > config.vocabulary:
            raise weights.BadWeights(f"{VOCABULARY} has {words.size} ids, the network only {config.vocabulary}")
    except (weights.BadWeights, tokenizer.BadVocabulary) as error:
        _fail(str(error), "Download the folder again, or name another one.")
    typer.echo(
        f"{weights.count(config):,} parameters in {len(files)} file(s), vocabulary of {words.size} ids; "
        f"{weights.count(config) * 2 / 1e9:.1f} GB as bfloat16."
    )
    typer.echo(f"The folder can be served ({time.monotonic() - started:.1f} s).")


@group.command()
def serve(
    weights: Annotated[Path | None, typer.Option(help="The folder of a checkpoint.")] = None,
    random_init: Annotated[
        str, typer.Option(help="Instead of weights: random ones of this size (tiny, small, full). They know nothing.")
    ] = "",
    device: Annotated[str, typer.Option(help="cpu, cuda, cuda:1, ...")] = "cpu",
    dtype: Annotated[Dtype | None, typer.Option(help="Default: float32 on a processor, bfloat16 elsewhere.")] = None,
    host: Annotated[str, typer.Option(help="Where to listen; anybody who reaches it can ask.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 picks one.")] = 8770,
    form: Annotated[Literal["v1", "v2"], typer.Option(help="The prompt that the checkpoint was trained with.")] = "v2",
    line: Annotated[int, typer.Option(min=1, help="Requests that may wait; more are answered 429.")] = 16,
    together: Annotated[int, typer.Option(min=1, help="Requests answered in one batch.")] = 8,
    memory_mb: Annotated[int, typer.Option(min=0, help="For what was made of pictures seen before.")] = 512,
    compiled: Annotated[
        bool | None,
        typer.Option(
            "--compile/--no-compile",
            help="Compile decoding steps (a minute or more at the first request of each shape), or run them plainly. "
            "Default: neither; on a GPU they are recorded.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the random weights.")] = 0,
    announce: Annotated[
        bool, typer.Option(help="Print one JSON line with the address; end at the end of input.")
    ] = False,
) -> None:
    """Serve the network as Chat Completions."""
    if (weights is None) == (not random_init):
        _fail("Give either --weights FOLDER or --random-init SIZE.")
    wanted = Source(folder=weights, preset=random_init, device=device, dtype=dtype, seed=seed)
    try:
        source.check(wanted)
        # Before the weights, which take minutes to load: a port that is taken is better said at once.
        with _listener(host, port) as listener:
            typer.echo("Loading ...", err=True)
            network, words = source.opened(wanted)
            from policies.odyssey.serve.running import run
            from policies.odyssey.serve.worker import Limits

            run(
                network,
                words,
                listener,
                model=wanted.name,
                form=form,
                limits=Limits(line=line, together=together, memory=memory_mb << 20),
                compiled=compiled,
                announce=partial(_announce, wanted.name) if announce else None,
            )
    except NoNetwork as error:
        _fail(str(error), error.advice)


def _announce(model: str, url: str) -> None:
    print(json.dumps({"url": url, "model": model}), flush=True)  # noqa: T201 - for whoever started this process


def _listener(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=128)
    except OSError as error:
        said = f"{host}:{port} cannot be listened on: {error.strerror or error}."
        raise NoNetwork(said, "Give another --host or --port.") from error


if __name__ == "__main__":
    sys.exit(group())
