"""A recorded timeline as a Chrome trace: open it in Perfetto or in chrome://tracing."""

import json
from pathlib import Path

from ..runtime.timeline import Timeline, cycles_per_second


def thread_name(worker: int) -> str:
    """The name of a row: number 0 is the thread that calls the step."""
    return "caller" if worker == 0 else f"worker {worker}"


def spans(timeline: Timeline, names: dict[int, str]) -> list[tuple[int, str, float, float, int, int]]:
    """List every recorded event as (worker, name, begin [s], end [s], first item, items), in order of time; the first begins at
    0. `names`: of jobs by address and of serial stages by number, see `recording.step_names`."""
    rate = cycles_per_second()
    rows = []
    for worker in range(timeline.thread_count):
        for event in timeline.events(worker):
            name = names.get(int(event["job"]), f"job {int(event['job']):#x}")
            begin, end, first, count = (int(event[field]) for field in ("begin", "end", "first", "count"))
            rows.append((worker, name, begin, end, first, count))
    start = min((row[2] for row in rows), default=0)
    rows.sort(key=lambda row: (row[2], row[0]))
    return [
        (worker, name, (begin - start) / rate, (end - start) / rate, first, count)
        for worker, name, begin, end, first, count in rows
    ]


def chrome_trace(timeline: Timeline, names: dict[int, str]) -> dict:
    """The trace as an object for `json`: complete events, times in microseconds, one row a thread."""
    events = [
        {"ph": "M", "pid": 1, "tid": worker, "name": "thread_name", "args": {"name": thread_name(worker)}}
        for worker in range(timeline.thread_count)
    ]
    for worker, name, begin, end, first, count in spans(timeline, names):
        event = {"ph": "X", "pid": 1, "tid": worker, "name": name, "ts": begin * 1e6, "dur": (end - begin) * 1e6}
        if count:
            event["args"] = {"first": first, "count": count}
        events.append(event)
    return {"traceEvents": events, "displayTimeUnit": "ns"}


def write_chrome_trace(path, timeline: Timeline, names: dict[int, str]) -> None:
    """Write the trace to a JSON file."""
    Path(path).write_text(json.dumps(chrome_trace(timeline, names)))
