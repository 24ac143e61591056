@tool
extends EditorDebuggerPlugin
## Shows the profiles of running games in the debugger: a tab for each session. The game's part is in Scree's native part.

const ProfilerTab := preload("profiler_tab.gd")

var _tabs := {}


func _has_capture(prefix: String) -> bool:
	return prefix == "scree"


func _capture(message: String, data: Array, session_id: int) -> bool:
	return _tabs.has(session_id) and (_tabs[session_id] as ProfilerTab).receive(message, data)


func _setup_session(session_id: int) -> void:
	var session := get_session(session_id)
	var tab := ProfilerTab.new()
	tab.send = session.send_message
	session.started.connect(tab.begin)
	session.stopped.connect(tab.end)
	session.add_session_tab(tab)
	_tabs[session_id] = tab
