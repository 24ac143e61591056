extends "res://scripts/demo_scene.gd"
## A pile that is kept moving by its bin. How well it is solved is sampled while it moves, from SAMPLED_FROM on: the time before
## that is for timing. Nothing may sleep. It is the same pile at any number of ticks a second.

const MovingBin = preload("res://scripts/moving_bin.gd")
const RunMeasure = preload("res://measure/run_measure.gd")

## [s]
const SAMPLED_FROM := 7.0
const SAMPLES_A_SECOND := 6
## One of so many bodies is sampled, with all bodies that were made before it.
const STRIDE := 5
const GRAVITY := 9.8

var _rate := Engine.physics_ticks_per_second
var _depths := PackedFloat64Array()
var _deepest_in_bin := 0.0
var _fastest := 0.0
var _kinetic_energies := PackedFloat64Array()
var _heights := PackedFloat64Array()


func tick(number: int) -> void:
	if number >= SAMPLED_FROM * _rate and number * SAMPLES_A_SECOND % _rate == 0:
		_sample()
	bin.transform = bin_at(number * (1.0 / _rate))


## The speed that nothing can have that got its energy from gravity and the bin alone [m/s].
func highest_speed() -> float:
	return 0.0


## Where the bin is put at a time [s].
func bin_at(_seconds: float) -> Transform3D:
	return Transform3D.IDENTITY


func extra_figures() -> Dictionary:
	return {
		"samples": _heights.size(),
		"touching_pairs": _depths.size(),
		"mean_overlap": _mean(_depths),
		"overlap_99": _quantile(_depths, 0.99),
		"worst_overlap": _quantile(_depths, 1.0),
		"deepest_in_bin": _deepest_in_bin,
		"fastest": _fastest,
		"highest_speed": highest_speed(),
		"mean_kinetic_energy": _mean(_kinetic_energies),
		"mean_height": _mean(_heights),
	}


## Where bodies lie, before they and the bin are moved on.
func _sample() -> void:
	var transforms := RunMeasure.transforms_of(bodies)
	_depths.append_array(RunMeasure.overlaps(bodies, transforms, STRIDE))
	_deepest_in_bin = maxf(_deepest_in_bin, RunMeasure.deepest_in_bin(bodies, transforms, bin))
	_kinetic_energies.append(RunMeasure.kinetic_energy(bodies, transforms) / bodies.size())
	var height := 0.0
	for index: int in bodies.size():
		height += transforms[index].origin.y / bodies.size()
		_fastest = maxf(_fastest, bodies.linear_velocity_of(index).length())
	_heights.append(height)


static func _mean(values: PackedFloat64Array) -> float:
	var sum := 0.0
	for value: float in values:
		sum += value
	return sum / maxi(values.size(), 1)


static func _quantile(values: PackedFloat64Array, part: float) -> float:
	var sorted := values.duplicate()
	sorted.sort()
	return sorted[int(part * (sorted.size() - 1))] if not sorted.is_empty() else 0.0
