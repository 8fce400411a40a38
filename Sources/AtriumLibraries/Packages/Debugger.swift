internal import AtriumKit
internal import AtriumStorage
internal import Glibc

/// The debugger of the toolchain, under which `atrium dev --debug` runs the host.
package enum Debugger {
    /// Replaces this process by LLDB, whose command 'run' starts the host.
    ///
    /// With `-o run` LLDB would start the host at once, but not pass on typed input.
    ///
    /// Modules built by `atrium dev` have debug information, and so do their loaded private copies.
    ///
    /// - Parameters:
    ///   - arguments: The arguments of the host.
    ///   - path: The folders to search for the debugger; nil for those of `PATH`.
    ///   - say: Shows the next step.
    /// - Throws: ``ModuleError`` if there is no LLDB, or it does not start.
    @MainActor package static func start(
        _ arguments: [String], path: String? = nil, say: (String) -> Void
    ) async throws -> Never {
        // A supervisor would start the prompt again when the debugger ends the host.
        let host = [HostExecutable.path, "--no-supervisor"] + arguments
        guard let program = PackageBuild.find("lldb", in: path) else {
            throw ModuleError("noDebugger", "There is no 'lldb' in PATH.", hint: other(host))
        }
        if let problem = try await problem(of: program) {
            throw ModuleError("noDebugger", "'\(program)' does not start: \(problem)", hint: other(host))
        }
        // Otherwise LLDB reports every compiler process that ends.
        let quiet = "process handle SIGCHLD --notify false --pass true --stop false"
        say("Type 'run' to start the host, after 'breakpoint set --file FILE --line LINE' if you like.")
        var words = ([program, "-o", quiet, "--"] + host).map { strdup($0) } + [nil]
        execv(program, &words)
        throw ModuleError(
            "noDebugger", "'\(program)' can't be run: \(SystemError.current.reason).", hint: other(host))
    }

    /// A command that the user can type instead.
    private static func other(_ host: [String]) -> String {
        "gdb --args \(host.map(ShellWord.quoted).joined(separator: " "))"
    }

    /// The debugger's error when asked for its version; nil if it starts.
    private static func problem(of program: String) async throws -> String? {
        let child = try ChildProcess(program, ["--version"], .joined)
        var first: String?
        if let output = child.output {
            for await line in output where first == nil { first = line }
        }
        return await child.wait().isSuccess ? nil : first ?? "it says nothing."
    }
}
