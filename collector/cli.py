"""The `groundwatch` command. Subcommands import what they need themselves, so that `--help` is quick."""

import argparse
import os
import sys
from collections.abc import Callable, Coroutine, Sequence
from importlib.metadata import version
from pathlib import Path

from collector import config, logs
from collector.roles import Role
from evaluators.errors import PermanentError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a subcommand; returns the exit status (0 good, 1 it found or met a problem, 2 wrong usage)."""
    # The C core of gRPC would remark on every worker process that is started; nothing is forked that uses it.
    os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
    # What it logs in its own form, such as a port that is taken, is told here in words.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    options = _parser().parse_args(arguments)
    try:
        handler: Callable[[argparse.Namespace], int] = options.handler
        return handler(options)
    except PermanentError as error:
        for line in str(error).splitlines():
            print(f"groundwatch: {line}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _run(options: argparse.Namespace) -> int:
    from collector.service import run

    settings = config.load(options.config)
    logs.configure(settings.log_level)
    return _in_loop(run(settings, Role(options.role)))


def _check(options: argparse.Namespace) -> int:
    from collector import check_report
    from collector.check import check

    settings = config.load(options.file)
    try:
        check(settings)
    except PermanentError as error:
        raise PermanentError("\n".join(f"{options.file}: {line}" for line in str(error).splitlines())) from error
    for warning in check_report.warnings(settings):
        print(f"groundwatch: {options.file}: warning: {warning}", file=sys.stderr)
    print(f"{options.file}: {check_report.summary(settings)}")
    return 0


def _inspect(options: argparse.Namespace) -> int:
    from collector.conventions.reader import TraceReader
    from collector.inspect import run_inspect

    settings = config.load(options.config)
    return run_inspect(options.files, options.json, TraceReader(settings.operator_rules, settings.context))


def _demo(options: argparse.Namespace) -> int:
    from collector.demo.run import demo

    logs.configure("warning")
    return _in_loop(demo(keep=options.keep))


def _in_loop(coroutine: Coroutine[object, object, int]) -> int:
    import uvloop

    from collector.allocator import keep_freed_buffers

    keep_freed_buffers()
    return uvloop.run(coroutine)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="groundwatch",
        description="Monitors retrieval-augmented applications from the OpenTelemetry spans that they already export.",
        epilog="Start with `groundwatch demo`, then `groundwatch run` and an OTLP exporter on port 4317 or 4318.",
    )
    parser.add_argument("--version", action="version", version=f"groundwatch {version('groundwatch')}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    run = commands.add_parser(
        "run", help="start the monitor", description="Start the monitor; SIGTERM drains and stops it."
    )
    run.add_argument("-c", "--config", type=Path, metavar="FILE", help="YAML file; every key has a default")
    run.add_argument(
        "--role", choices=[role.value for role in Role], default=Role.ALL.value,
        help="which part of the line this process does; all but `all` need `streams` (default: all)",
    )  # fmt: skip
    run.set_defaults(handler=_run)

    check = commands.add_parser(
        "check", help="validate a configuration", description="Print every mistake in FILE at once."
    )
    check.add_argument("file", type=Path, metavar="FILE")
    check.set_defaults(handler=_check)

    demo = commands.add_parser(
        "demo",
        help="see it work in a minute",
        description="Start the monitor on free ports, send it a sample application's traffic, show what happens.",
    )
    demo.add_argument(
        "--keep", action=argparse.BooleanOptionalAction, default=sys.stdout.isatty(),
        help="keep running at the end, so that the pages can be opened (default: on a terminal)",
    )  # fmt: skip
    demo.set_defaults(handler=_demo)

    inspect = commands.add_parser(
        "inspect",
        help="explain what the monitor sees in exported spans",
        description="Read OTLP request bodies (protobuf or JSON, gzip too) or the Collector file exporter's JSON; "
        "all files are one stream. Print per trace what the monitor would see, and what to set where something lacks.",
    )
    inspect.add_argument("files", nargs="+", type=Path, metavar="FILE")
    inspect.add_argument("--json", action="store_true", help="one JSON object per trace")
    inspect.add_argument("-c", "--config", type=Path, metavar="FILE", help="configuration with operator rules")
    inspect.set_defaults(handler=_inspect)
    return parser


if __name__ == "__main__":
    sys.exit(main())
