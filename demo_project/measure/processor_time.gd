extends RefCounted
## Processor time of the main thread, tick by tick: time in which other programs had the processor does not count.
##
## Linux tells it for a thread when it has rested: call [method tick_is_over] after a pause. Elsewhere there are no figures. What
## asking costs is measured first, the least of some, and taken off.

const FILE := "/proc/self/schedstat" # of the main thread
const TRIALS := 50

var tick_us := PackedInt64Array()

var _before := -1
var _cost := 0


func _init() -> void:
	_cost = 1 << 30
	for trial: int in TRIALS:
		var began := Time.get_ticks_usec()
		used_us()
		_cost = mini(_cost, Time.get_ticks_usec() - began)


## Processor time of the main thread since it began [us]; -1 if the system does not report it.
static func used_us() -> int:
	var file := FileAccess.open(FILE, FileAccess.READ)
	return -1 if file == null else int(file.get_line().get_slice(" ", 0)) / 1000


func tick_is_over() -> void:
	var now := used_us()
	if now >= 0 and _before >= 0:
		tick_us.append(now - _before - _cost)
	_before = now


## Median and worst tick, and what all ticks took over the median [us]; -1 where the system does not tell.
func figures() -> Dictionary:
	if tick_us.is_empty():
		return {"median_main_us": -1, "worst_main_us": -1, "lost_main_us": -1, "asking_us": _cost}
	var sorted := tick_us.duplicate()
	sorted.sort()
	var median := sorted[sorted.size() / 2]
	var total := 0
	for time: int in sorted:
		total += time
	return {"median_main_us": median, "worst_main_us": sorted[-1], "lost_main_us": total - median * sorted.size(),
		"asking_us": _cost}
