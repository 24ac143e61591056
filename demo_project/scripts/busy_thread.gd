extends RefCounted
## A thread that does nothing but loop, to see what it costs a tick.
##
## An engine written in Python says with the methods `start_busy_python_thread` and `stop_busy_python_thread` of its
## server that it can start one in its own interpreter, where the two could get in each other's way. Other engines get
## an ordinary thread.

var _thread: Thread
var _stopped := [false]


func _init() -> void:
	if PhysicsServer3D.has_method("start_busy_python_thread"):
		PhysicsServer3D.call("start_busy_python_thread")
		return
	_thread = Thread.new()
	_thread.start(_loop)


func stop() -> void:
	if _thread == null:
		PhysicsServer3D.call("stop_busy_python_thread")
		return
	_stopped[0] = true
	_thread.wait_to_finish()


func _loop() -> void:
	while not _stopped[0]:
		pass
