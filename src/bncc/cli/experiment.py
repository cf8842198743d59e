"""`bncc experiment`: run a study, stop it, resume it, and look at what it found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bars
from rich.text import Text

from bncc._interrupt import INTERRUPTED, stop_with_care
from bncc.cli.names import ENGINES, PROTOCOLS, complete_files, starting_with
from bncc.cli.options import RawNamesOption
from bncc.cli.output import JsonOption, QuietOption, Voice, printable, stderr

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from bncc.analysis import Reading, Scores
    from bncc.experiment import Candidate, Certificates, Failure, Protocol, Store, StudyProgress, Task

__all__ = ["experiment"]

experiment = typer.Typer(no_args_is_help=True, help="Run a study from a protocol; stop and resume it as you like.")

RUN = """Examples:

bncc experiment run quick

bncc experiment run my-study.toml --store my-study.sqlite

bncc experiment run paper --cluster tls://10.0.0.1:8786 --tls-ca-file ca.pem --tls-cert me.pem"""

REPORT = """Example:

bncc experiment report quick.sqlite -o quick-report"""

StoreArgument = Annotated[Path, typer.Argument(metavar="STORE", help="A result store that a run has made.")]
ClusterOption = Annotated[
    str | None,
    typer.Option(
        help="Address of a Dask scheduler whose workers run the tasks, as tls://host:8786; tcp://host:8786 where every "
        "machine of the network is trusted."
    ),
]
CaOption = Annotated[
    Path | None, typer.Option("--tls-ca-file", help="For tls://: the authority that signed the cluster's certificates.")
]
CertificateOption = Annotated[
    Path | None, typer.Option("--tls-cert", help="For tls://: our certificate [default: as Dask is configured].")
]
KeyOption = Annotated[
    Path | None, typer.Option("--tls-key", help="For tls://: the key of our certificate, where it is not in its file.")
]
WorkersOption = Annotated[
    int, typer.Option(min=1, help="Processes that run tasks side by side and share cores and GPU.", show_default=True)
]


@experiment.command(epilog=RUN)
def run(
    protocol: Annotated[
        str,
        typer.Argument(
            metavar="PROTOCOL",
            help=f"A TOML file, or a protocol of the package: {', '.join(PROTOCOLS)}.",
            autocompletion=complete_files(PROTOCOLS),
        ),
    ],
    store: Annotated[
        Path | None, typer.Option("--store", "-s", help="Where results are kept [default: NAME.sqlite here].")
    ] = None,
    workers: WorkersOption = 1,
    cluster: ClusterOption = None,
    tls_ca_file: CaOption = None,
    tls_cert: CertificateOption = None,
    tls_key: KeyOption = None,
    engine: Annotated[
        str | None,
        typer.Option(
            help="Who solves kernel links: auto, cpu or cuda [default: as the protocol says].",
            autocompletion=starting_with(ENGINES),
        ),
    ] = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Run what is missing of a study. Every finished part is stored: stop with Ctrl-C, run again to go on."""
    from bncc.experiment import load_protocol
    from bncc.svm import choose_engine

    study = load_protocol(protocol)
    if engine is not None:
        choose_engine(engine)
        study = replace(study, engine=engine)
    place = _Place(workers, cluster, tls_ca_file, tls_cert, tls_key)
    _run([study], store or Path(f"{study.name}.sqlite"), place, Voice(as_json, quiet))


@experiment.command()
def resume(
    store: StoreArgument,
    workers: WorkersOption = 1,
    cluster: ClusterOption = None,
    tls_ca_file: CaOption = None,
    tls_cert: CertificateOption = None,
    tls_key: KeyOption = None,
    drop_damaged: Annotated[
        bool,
        typer.Option("--drop-damaged", help="Delete results that do not match their checksums, and run them again."),
    ] = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Go on with the study of a store; the store knows its protocol."""
    from bncc.experiment import Store

    voice = Voice(as_json, quiet)
    if drop_damaged and store.is_file():
        voice.warn(f"{Store.drop_damaged(store)} damaged tasks were deleted from {store}; they are run again.")
    with _opened(store, voice) as opened:
        protocols = opened.protocols()
    _run(protocols, store, _Place(workers, cluster, tls_ca_file, tls_cert, tls_key), voice)


@experiment.command(epilog=REPORT)
def report(
    store: StoreArgument,
    folder: Annotated[Path, typer.Option("--output", "-o", help="Folder to write into.")] = Path("report"),
    figures: Annotated[bool, typer.Option(help="Draw figures as PDF and SVG too.")] = True,
    raw_names: RawNamesOption = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Write a store as a page to look at, tables (Markdown, LaTeX, CSV) and figures (PDF, SVG)."""
    from bncc.analysis import write_report

    stop_with_care()
    voice = Voice(as_json, quiet)
    bar: list[Callable[[str], None]] = []
    with _opened(store, voice) as opened, ExitStack() as stack:

        def tell(name: str, total: int) -> None:
            if not bar:
                bar.append(stack.enter_context(voice.progress("Drawing", total)))
            bar[0](name)

        files = write_report(opened, folder, figures=figures, raw_names=raw_names, report=tell)
    voice.show(f"{len(files)} files in {folder}; look at {files[0]}")
    voice.finish({"files": [str(path) for path in files]})


@experiment.command()
def reproduction(
    store: StoreArgument,
    output: Annotated[Path, typer.Option("--output", "-o", help="Markdown file.")] = Path("reproduction.md"),
    remarks: Annotated[
        Path | None, typer.Option(help="A Markdown file of your own to include: why results differ.")
    ] = None,
    reading: Annotated[
        list[str] | None,
        typer.Option(help="Another reading of the paper, as NAME=STORE; may be given several times."),
    ] = None,
    sensitivity: Annotated[
        Path | None, typer.Option(help="A store of `sensitivity`, whose candidates are a grid of sigma and C.")
    ] = None,
    times: Annotated[
        Path | None, typer.Option(help="Training seconds on one core, from benchmarks/bench_training_time.py.")
    ] = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Hold the results of a store against those that the paper prints."""
    from bncc.analysis import StudyEvidence, read_training_times, write_reproduction

    stop_with_care()
    voice = Voice(as_json, quiet)
    with _opened(store, voice) as opened:
        text = "\n".join(_texts(opened.protocols()))
        records = [*opened.records(), *opened.records(pooled=True)]
        extra = remarks.read_text(encoding="utf-8") if remarks else ""
        command = _reproduction_command(store, output, remarks, reading or (), sensitivity, times)
        evidence = StudyEvidence(
            source=store.name,
            label_names={name: facts.label_names for name, facts in opened.facts().items()},
            times=read_training_times(times) if times else None,
            times_source=times.name if times else "",
            sensitivity=_candidates_of(sensitivity) if sensitivity else (),
            sensitivity_source=sensitivity.name if sensitivity else "",
        )
        files = write_reproduction(
            output,
            records,
            opened.candidates(),
            text,
            protocol=opened.protocol,
            readings=[_read_reading(each) for each in reading or ()],
            remarks=extra,
            command=command,
            evidence=evidence,
        )
    voice.show(f"written: {', '.join(str(path) for path in files)}")
    voice.finish({"files": [str(path) for path in files]})


def _candidates_of(path: Path) -> list[Candidate]:
    from bncc.experiment import Store

    with Store.read(path) as opened:
        return opened.candidates()


def _reproduction_command(
    store: Path,
    output: Path,
    remarks: Path | None,
    readings: Sequence[str],
    sensitivity: Path | None,
    times: Path | None,
) -> str:
    """The command that makes the page, with files by name alone."""
    words = [f"bncc experiment reproduction {store.name} -o {output.name}"]
    for option, file in (("remarks", remarks), ("sensitivity", sensitivity), ("times", times)):
        words += [f"--{option} {file.name}"] if file else []
    for each in readings:
        name, _, path = each.rpartition("=")
        words.append(f'--reading "{name}={Path(path).name}"')
    return " ".join(words)


def _read_reading(argument: str) -> Reading:
    """A reading from NAME=STORE."""
    from bncc.analysis import Reading
    from bncc.experiment import Store

    name, separator, path = argument.rpartition("=")
    if not separator or not name.strip():
        raise ValueError(f"`--reading` must be NAME=STORE; got {argument!r}.")
    with Store.read(Path(path)) as opened:
        return Reading(name.strip(), tuple(opened.records()), Path(path).name)


def _texts(protocols: Sequence[Protocol]) -> list[str]:
    """The texts of protocols, each said once: what extends another one holds that one's text."""
    out: list[str] = []
    for protocol in protocols:
        text = protocol.text
        for known in out:
            text = text.replace(known, "").rstrip("\n") + "\n" if known in text else text
        out.append(text)
    return out


@contextmanager
def _opened(path: Path, voice: Voice) -> Iterator[Store]:
    """A store whose rows were checked; says how many could not be."""
    from bncc.experiment import Store

    with Store.read(path) as store:
        if store.unchecked:
            voice.warn(
                f"{store.unchecked:,} rows of {path} carry no checksum, since an earlier version wrote them: whether "
                "they are as they were written is not checked."
            )
        yield store


@dataclass(frozen=True)
class _Place:
    """Where tasks run."""

    workers: int
    cluster: str | None
    tls_ca_file: Path | None
    tls_cert: Path | None
    tls_key: Path | None

    def executor(self) -> AbstractContextManager[Executor | None]:
        from bncc.experiment import dask_executor, local_executor

        certificates = self.certificates()
        if self.cluster is None:
            return nullcontext() if self.workers == 1 else local_executor(self.workers)
        if self.workers != 1:
            raise ValueError(
                "`--workers` are processes of this machine and `--cluster` is elsewhere; give one of them."
            )
        return dask_executor(self.cluster, certificates)

    def certificates(self) -> Certificates | None:
        from bncc.experiment import Certificates

        if self.tls_ca_file is None and self.tls_cert is None and self.tls_key is None:
            return None
        if self.cluster is None or self.tls_ca_file is None or self.tls_cert is None:
            raise ValueError("`--tls-ca-file` and `--tls-cert` go together, with `--cluster tls://host:port`.")
        return Certificates(str(self.tls_ca_file), str(self.tls_cert), str(self.tls_key) if self.tls_key else None)


def _run(protocols: Sequence[Protocol], path: Path, place: _Place, voice: Voice) -> None:
    from bncc.analysis import collect_scores
    from bncc.experiment import Store, run_study

    stop_with_care()
    hidden = voice.as_json or voice.quiet or not stderr.is_terminal
    failures: list[Failure] = []
    try:
        with (
            place.executor() as executor,
            nullcontext() if hidden else _display() as tell,
        ):
            for protocol in protocols:
                failures += run_study(protocol, path, executor=executor, report=tell).failures
    except ChildProcessError as error:
        stderr.print(printable(f"Stopped: {error}"), soft_wrap=True, markup=False)
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        line = printable(f"Stopped. Finished parts are in {path}; the same command goes on from there.")
        stderr.print(line, soft_wrap=True, markup=False)
        raise typer.Exit(INTERRUPTED) from None
    for failure in failures:
        line = printable(f"failed: {_words(failure.task)}: {failure.message}")
        stderr.print(line, soft_wrap=True, markup=False)
    with Store.read(path) as opened:
        records, metrics = opened.records(), opened.metrics
    scores = {metric: collect_scores(records, metric) for metric in metrics}
    counts = Counter((record.dataset, record.method) for record in records)
    _show(path, voice, counts, scores, [f"{_words(failure.task)}: {failure.message}" for failure in failures])
    raise typer.Exit(1 if failures else 0)


@contextmanager
def _display() -> Iterator[Callable[[StudyProgress], None]]:
    """Two live lines: what is done and the time left, and what runs."""
    bars = Bars(
        TextColumn("{task.description}"),
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TextColumn("{task.fields[left]}", style="cyan"),
        console=stderr,
    )
    bar, now = bars.add_task("study", total=None, left=""), Text(style="dim", no_wrap=True, overflow="ellipsis")
    with Live(Group(bars, now), console=stderr, refresh_per_second=5, transient=True):

        def tell(progress: StudyProgress) -> None:
            left = "" if progress.seconds_left is None else f"{_clock(progress.seconds_left)} left"
            bars.update(bar, total=progress.total, completed=progress.done, left=left)
            now.plain = _now(progress)

        yield tell


def _now(progress: StudyProgress) -> str:
    now = ", ".join(map(_words, progress.running[:3]))
    if len(progress.running) > 3:
        now += f" and {len(progress.running) - 3} more"
    return printable(f"{now}: {progress.solved:,} problems" if progress.running and progress.solved else now)


def _words(task: Task) -> str:
    from bncc.experiment import WHOLE

    part = "sigma" if task.repeat == WHOLE else f"repeat {task.repeat + 1}"
    return f"{task.dataset} {task.method} {part}"


def _clock(seconds: float) -> str:
    """Hours only where there are some.

    >>> _clock(75), _clock(4000)
    ('1:15', '1:06:40')
    """
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}" if minutes >= 60 else f"{minutes}:{rest:02d}"


def _show(
    path: Path,
    voice: Voice,
    counts: Mapping[tuple[str, str], int],
    scores: Mapping[str, Scores],
    failures: Sequence[str],
) -> None:
    """Mean of each metric by data set and method."""
    means = {key: {metric: table.cell(*key)[0] for metric, table in scores.items()} for key in counts}
    rows = [[*key, counts[key], *(f"{value:.4f}" for value in means[key].values())] for key in counts]
    voice.rows(f"Means over folds ({path})", ["data set", "method", "folds", *scores], rows)
    results = [{"dataset": key[0], "method": key[1], "folds": counts[key], **means[key]} for key in counts]
    voice.finish({"store": str(path), "results": results, "failures": list(failures)})
