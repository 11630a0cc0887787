"""Tables as files: JSON lines, CSV, Parquet, Arrow. Rows go through, and no more of them than a chunk is in memory."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, BinaryIO, Literal, NamedTuple

from ..errors import ConfigError

Kind = Literal["text", "integer", "number", "truth", "time", "object"]
Row = Sequence[Any]
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # how a cell begins that is run and not shown
CHUNK = 5000  # rows of a Parquet row group, fewer where they have long texts
TEXTS = 64 << 20  # characters in one


class Column(NamedTuple):
    name: str
    kind: Kind = "text"


def write_jsonl(file: BinaryIO, columns: Sequence[Column], rows: Iterable[Row]) -> int:
    """One JSON object a line; returns how many."""
    names, count = [column.name for column in columns], 0
    times = [place for place, column in enumerate(columns) if column.kind == "time"]
    for count, row in enumerate(rows, 1):  # noqa: B007
        values = list(row)
        for place in times:
            values[place] = _iso(values[place])
        file.write(json.dumps(dict(zip(names, values, strict=True)), ensure_ascii=False).encode() + b"\n")
    return count


def write_csv(file: BinaryIO, columns: Sequence[Column], rows: Iterable[Row]) -> int:
    """A header and one line a row (RFC 4180, UTF-8); what is missing is empty, objects are JSON.

    Text that a spreadsheet would run as a formula has an apostrophe before it; numbers are left as they are.
    """
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    table = csv.writer(text)
    table.writerow([column.name for column in columns])
    shown: dict[Kind, Callable[[Any], Any]] = {"text": _no_formula, "time": _iso, "object": _json}
    ways = [shown.get(column.kind) for column in columns]
    count = 0
    for count, row in enumerate(rows, 1):  # noqa: B007
        table.writerow([way(value) if way else value for way, value in zip(ways, row, strict=True)])
    text.flush()
    text.detach()
    return count


def write_parquet(file: BinaryIO, columns: Sequence[Column], rows: Iterable[Row]) -> int:
    """Row groups of a few thousand rows, compressed; objects are JSON."""
    pa = _pyarrow("Parquet")
    schema = _schema(pa, columns)
    with pa.parquet.ParquetWriter(file, schema, compression="zstd") as out:
        return _write_batches(pa, out, schema, columns, rows)


def write_arrow(file: BinaryIO, columns: Sequence[Column], rows: Iterable[Row]) -> int:
    """An Arrow IPC file (Feather 2), compressed, in batches of a few thousand rows; objects are JSON."""
    pa = _pyarrow("Arrow")
    schema = _schema(pa, columns)
    with pa.ipc.new_file(file, schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as out:
        return _write_batches(pa, out, schema, columns, rows)


def _schema(pa: Any, columns: Sequence[Column]) -> Any:
    kinds = {
        "text": pa.string(), "integer": pa.int64(), "number": pa.float64(), "truth": pa.bool_(),
        "time": pa.timestamp("ms", tz="UTC"), "object": pa.string(),
    }  # fmt: skip
    return pa.schema([(column.name, kinds[column.kind]) for column in columns])


def _write_batches(pa: Any, out: Any, schema: Any, columns: Sequence[Column], rows: Iterable[Row]) -> int:
    count = 0
    for chunk in _chunks(rows):
        values = [_cells(column.kind, cells) for column, cells in zip(columns, zip(*chunk, strict=True), strict=True)]
        arrays = [pa.array(cells, field.type) for cells, field in zip(values, schema, strict=True)]
        out.write_batch(pa.record_batch(arrays, schema=schema))
        count += len(chunk)
    return count


FORMATS: dict[str, Callable[[BinaryIO, Sequence[Column], Iterable[Row]], int]] = {
    "jsonl": write_jsonl,
    "csv": write_csv,
    "parquet": write_parquet,
    "arrow": write_arrow,
}


def _pyarrow(what: str) -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ConfigError(
            f"{what} needs pyarrow, which is not installed; `pip install 'opilio[parquet]'`, or take --format jsonl or csv"
        ) from None
    return pyarrow


def _chunks(rows: Iterable[Row]) -> Iterator[list[Row]]:
    chunk: list[Row] = []
    size = 0
    for row in rows:
        chunk.append(row)
        size += sum(len(cell) for cell in row if isinstance(cell, str))
        if len(chunk) == CHUNK or size > TEXTS:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _cells(kind: Kind, cells: Sequence[Any]) -> Sequence[Any]:
    if kind == "time":
        return [None if cell is None else _milliseconds(cell) for cell in cells]
    return [_json(cell) for cell in cells] if kind == "object" else cells


def _no_formula(text: str | None) -> str | None:
    return f"'{text}" if text and text.startswith(FORMULA) else text


def _json(value: Any) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False)


def _iso(time: float | None) -> str | None:
    if time is None:
        return None
    return datetime.fromtimestamp(_milliseconds(time) / 1000, UTC).isoformat(timespec="milliseconds")


def _milliseconds(time: float) -> int:
    """Every format rounds a time here: rounded in two ways, one page has two times."""
    return round(time * 1000)
