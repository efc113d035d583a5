"""``regard serve``: the studio in the browser, and an HTTP API."""

import click


@click.command()
@click.argument("runs", nargs=-1, metavar="[RUN …]")
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="Where to listen; only this machine by default."
)
@click.option("--port", default=5000, show_default=True, help="0 takes any that is free.")
@click.option(
    "--api-key", "keys", multiple=True, help="Only answer who sends this key; may be given several times."
)
@click.option(
    "--name", "names", multiple=True, help="A name besides localhost that a proxy calls this server by."
)
@click.option("--device", default="cpu", show_default=True, help="cpu, cuda or mps.")
@click.option("--threads", type=int, help="How many threads the model may use.")
@click.option("--rate", type=int, help="Requests a minute for each client; 0 is no limit.")
@click.option("--characters", type=int, help="Characters of one request.")
@click.option("--texts", type=int, help="Texts of one request.")
@click.option("--beam", type=int, help="The widest beam that may be asked for.")
@click.option("--body-bytes", type=int, help="Bytes of one body.")
@click.option("--queue-tokens", type=int, help="Tokens that may wait before callers are turned away.")
@click.option("--batch-texts", type=int, help="Texts translated together; 1 is no batching.")
@click.option("--work-seconds", type=float, help="How long a request may take.")
@click.option("--open", "opens", is_flag=True, help="Open the studio in the browser.")
def serve(
    runs: tuple[str, ...],
    keys: tuple[str, ...],
    names: tuple[str, ...],
    device: str,
    threads: int | None,
    opens: bool,
    **options: "str | int | float | None",
) -> None:
    """Serve runs: a page to translate, look and learn in, and an API for programs.

    A RUN is a folder, or folder@step for one of its checkpoints. Clients of LibreTranslate
    work as they are; the API is described at /docs.

    \b
    Examples:
      regard serve runs/demo --open
      regard serve runs/demo runs/recurrent runs/demo@250
      regard serve runs/demo --host 0.0.0.0 --api-key SECRET
    """
    if not runs:
        raise click.UsageError("Name a run to serve, such as runs/demo. Train one first with: regard demo")
    try:
        from regard.serving import Settings, Shelf, Studio
        from regard.serving import serve as run
    except ModuleNotFoundError as missing:
        raise click.ClickException(
            f"The studio needs {missing.name}, which is not installed. "
            "Install it with: pip install 'regard[studio]'"
        ) from None
    said = {name: value for name, value in options.items() if value is not None}
    settings = Settings(keys=keys, names=names, **said)  # type: ignore[arg-type]
    if threads is not None:
        import torch

        torch.set_num_threads(threads)
    shelf = Shelf.load(runs, device=device)
    for name, served in shelf.models.items():
        click.echo(f"{name}: {served.source} → {served.target}, step {served.step}")
    for name in shelf.folders.keys() - shelf.models.keys():
        click.echo(f"{name}: no checkpoint yet, watched only")
    if not settings.is_local:
        click.echo(f"Warning: anybody who reaches {settings.host} can use this server, unencrypted"
                   f"{'' if keys else ' and without a key (--api-key)'}.", err=True)  # fmt: skip

    def announce(address: str) -> None:
        click.echo(f"The studio is at {address}  (Ctrl-C ends it)")
        if opens:
            click.launch(address)

    run(Studio(shelf, settings), announce)
