extends RefCounted
## The options on the command line after `--`.

## Ticks to run before the scene reports and quits; 0 runs until the window is closed.
var ticks := 0
## Where the figures go as JSON; empty writes none.
var json_path := ""
## How many bodies; 0 takes the scene's own number.
var bodies := 0
## Seed of the random positions.
var seed_of_places := 20250
## Bodies are made through PhysicsServer3D, without nodes.
var server := false
## The deepest penetration at the end is not measured.
var without_depth := false
## A second thread, of the physics engine's own language where it offers that, loops beside the run.
var busy_thread := false
## Names of properties of ScreeDebugDraw3D that are on from the start.
var debug_draw: PackedStringArray = []
## Where the picture goes; empty takes none.
var png_path := ""
## The ticks after which a picture is taken; with more than one, the tick is added to the file's name.
var png_ticks: Array[int] = []


## Reads `--name=value` words. An unknown word is an error, so that a misspelt option never passes in silence.
static func parse(arguments: PackedStringArray) -> RefCounted:
	var options := new()
	for argument: String in arguments:
		var value := argument.get_slice("=", 1) if "=" in argument else ""
		match argument.get_slice("=", 0):
			"--ticks": options.ticks = value.to_int()
			"--json": options.json_path = value
			"--bodies": options.bodies = value.to_int()
			"--seed": options.seed_of_places = value.to_int()
			"--server": options.server = true
			"--without-depth": options.without_depth = true
			"--busy-thread": options.busy_thread = true
			"--debug-draw": options.debug_draw = value.split(",")
			"--png": options.png_path = value
			"--png-tick":
				for tick: String in value.split(","):
					options.png_ticks.append(tick.to_int())
			_: push_error("unknown option %s" % argument)
	if options.png_path != "" and options.png_ticks.is_empty():
		options.png_ticks.append(maxi(options.ticks, 1))
	if not options.png_ticks.is_empty():
		options.ticks = maxi(options.ticks, options.png_ticks.max())
	return options


## The file for the picture taken after `tick`.
func png_path_at(tick: int) -> String:
	if png_ticks.size() == 1:
		return png_path
	return "%s_%d.%s" % [png_path.get_basename(), tick, png_path.get_extension()]
