@_spi(Host) internal import AtriumKit

/// A prompt for a question about the running host, with the tools that answer it.
struct TaskPrompt {
    let name: String
    let title: String
    let summary: String
    /// The description of its argument.
    let task: String
    /// The tools and their uses; those that a session may not call are left out.
    let steps: [(tool: String, use: String)]
    /// The instruction for the answer.
    let answer: String

    static let all = [
        TaskPrompt(
            name: "why-is-this-slow", title: "Why is this slow?",
            summary: "Find the cause of a slow screen or command",
            task: "The screen or the command, such as entities",
            steps: [
                ("host_call", "Without arguments, list the services and their methods."),
                (
                    "host_tap",
                    "Tap each service of the module before the slow command. The next results have the calls "
                        + "as notes: arguments, result, time, and below them the SQL and the requests."
                ),
                ("host_show", "Load the screen again, so that the calls are made."),
                ("host_module", "With 'sql' and 'explain', show how the database runs a slow query."),
                ("host_api", "In environment live, show the response times of the server."),
                ("host_container", "Show what is built, and how often."),
                ("host_modules", "With 'cost', show what each module costs."),
                ("host_log", "Look for warnings, such as those of the watchdog."),
            ],
            answer: "Name the slowest call with its time, its cause, and one change that would help."),
        TaskPrompt(
            name: "what-changed", title: "What changed?",
            summary: "List what changed in the host: modules, versions, configuration, sessions",
            task: "The effect that you noticed, and since when",
            steps: [
                ("host_events", "List loads, updates, removals, crashes and runs of code, with their times."),
                ("host_modules", "List the modules with version and state."),
                ("host_module", "Show a module's configuration, contracts and former builds."),
                ("host_log", "Find what was logged after the change, by module and level."),
                ("host_hosts", "On a shared database, list the other hosts and their versions."),
            ],
            answer: "List the changes in their order, and which of them can explain what was noticed."),
        TaskPrompt(
            name: "why-does-this-fail", title: "Why does this fail?",
            summary: "Find the cause of an error",
            task: "The command or the error",
            steps: [
                ("host_why", "Explain the last error, or the state of a module."),
                ("host_log", "Show the newest warnings and errors, with the command that caused them."),
                ("host_tap", "With 'failing', show the calls of a service that fail, from now on."),
                ("host_help", "Explain a command, an action or, with a toolchain, a declaration."),
                ("host_inspect", "Show an object in memory, such as viewModel."),
                ("host_module", "With 'sql', look at what is stored."),
                ("host_health", "Run the health checks."),
                ("host_fault", "Confirm the cause: make a service fail in the same way, then end the fault."),
            ],
            answer: "Name the cause, how it was confirmed, and the next step."),
    ]

    var listed: JSONObject {
        [
            "name": .string(name), "title": .string(title), "description": .string(summary + "."),
            "arguments": [["name": "task", "description": .string(task), "required": false]],
        ]
    }

    /// The text, with the tools that the session may call.
    func text(about task: String?, mayCall: (String) -> Bool) -> String {
        var lines = ["\(summary), with the tools of this Atrium host."]
        lines += steps.filter { mayCall($0.tool) }.map { "- tool \($0.tool): \($0.use)" }
        lines += ["", answer]
        if let task, !task.isEmpty { lines += ["", "Task: \(task)"] }
        return lines.joined(separator: "\n")
    }
}
