@tool
extends RefCounted
## The last ticks of one space that a game has sent, for the profiler. Needs no editor.

const MOST := 900  ## Ticks kept: fifteen seconds.

var stage_names := PackedStringArray()
var thread_count := 1
var ticks: Array[Tick] = []


## One tick: its stages [microseconds] and its events, one for each piece of work that a thread did.
class Tick:
	var number: int
	var begin: float  ## Since the profile began [s].
	var duration: float  ## [microseconds]
	var stages: PackedFloat32Array
	var bodies: int
	var pairs: int
	var contacts: int
	var threads: PackedInt32Array
	var jobs: PackedInt32Array  ## Stages of the events.
	var begins: PackedFloat32Array  ## Since the tick began [microseconds].
	var durations: PackedFloat32Array
	var items: PackedInt32Array


## Adds what the game has sent: the members of a ScreeProfile.
func add(profile: Dictionary) -> void:
	stage_names = str(profile["stage_names"]).split(",")
	thread_count = profile["thread_count"]
	if not ticks.is_empty() and profile["first"] <= ticks.back().number:
		ticks.clear()  # the game began anew
	var count := stage_names.size()
	var durations: PackedFloat32Array = profile["durations"]
	for row: int in durations.size():
		var tick := Tick.new()
		tick.number = int(profile["first"]) + row
		tick.begin = profile["begins"][row]
		tick.duration = durations[row]
		tick.stages = profile["stage_times"].slice(count * row, count * (row + 1))
		tick.bodies = profile["active_bodies"][row]
		tick.pairs = profile["pairs"][row]
		tick.contacts = profile["contacts"][row]
		_add_events(tick, profile, row)
		ticks.append(tick)
	if ticks.size() > MOST:
		ticks = ticks.slice(ticks.size() - MOST)


func _add_events(tick: Tick, profile: Dictionary, row: int) -> void:
	var of_ticks: PackedInt32Array = profile["event_ticks"]
	var from := of_ticks.bsearch(row)
	var to := of_ticks.bsearch(row + 1)
	tick.threads = profile["event_threads"].slice(from, to)
	tick.jobs = profile["event_stages"].slice(from, to)
	tick.begins = profile["event_begins"].slice(from, to)
	tick.durations = profile["event_durations"].slice(from, to)
	tick.items = profile["event_items"].slice(from, to)


## Mean time of each stage in the kept ticks [microseconds].
func means() -> PackedFloat32Array:
	var sums := PackedFloat32Array()
	sums.resize(stage_names.size())
	for tick: Tick in ticks:
		for stage: int in sums.size():
			sums[stage] += tick.stages[stage] / ticks.size()
	return sums


## A colour for each stage.
static func colour_of(stage: int) -> Color:
	return Color.from_hsv(fmod(stage * 0.618034, 1.0), 0.45 + 0.2 * (stage % 3), 0.95 - 0.12 * (stage % 2))


## Ticks as a Chrome trace, for Perfetto or chrome://tracing: a JSON text.
func chrome_trace(of: Array[Tick]) -> String:
	var events: Array[Dictionary] = []
	for thread: int in thread_count:
		events.append({"ph": "M", "pid": 1, "tid": thread, "name": "thread_name",
			"args": {"name": "caller" if thread == 0 else "worker %d" % thread}})
	for tick: Tick in of:
		var start := tick.begin * 1e6
		events.append({"ph": "X", "pid": 1, "tid": thread_count, "name": "tick %d" % tick.number, "ts": start, "dur": tick.duration,
			"args": {"bodies": tick.bodies, "pairs": tick.pairs, "contacts": tick.contacts}})
		for event: int in tick.jobs.size():
			events.append({"ph": "X", "pid": 1, "tid": tick.threads[event], "name": stage_names[tick.jobs[event]],
				"ts": start + tick.begins[event], "dur": tick.durations[event], "args": {"items": tick.items[event]}})
	return JSON.stringify({"traceEvents": events, "displayTimeUnit": "ns"})
