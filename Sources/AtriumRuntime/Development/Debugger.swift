internal import AtriumKit
internal import Glibc

/// The debugger of the toolchain, under which `atrium dev --debug` runs the host.
package enum Debugger {
    /// Replaces this process by LLDB, whose command 'run' starts the host.
    ///
    /// With `-o run` LLDB would start it at once, but pass on nothing that is typed.
    ///
    /// Modules that `atrium dev` builds have debug information, and so have the private copies that are loaded.
    ///
    /// - Parameters:
    ///   - arguments: Those of the host under the debugger.
    ///   - path: The folders to look in for the debugger; nil for those of `PATH`.
    ///   - say: Shows what to do next.
    /// - Throws: ``ModuleError`` if there is no LLDB, or it does not start.
    @MainActor package static func start(
        _ arguments: [String], path: String? = nil, say: (String) -> Void
    ) async throws -> Never {
        // A parent process would start the prompt again when the debugger ends it.
        let host = [HostExecutable.path, "--no-supervisor"] + arguments
        guard let program = PackageBuild.find("lldb", in: path) else {
            throw ModuleError("noDebugger", "There is no 'lldb' in PATH.", hint: other(host))
        }
        if let problem = try await problem(of: program) {
            throw ModuleError("noDebugger", "'\(program)' does not start: \(problem)", hint: other(host))
        }
        // Each compiler that ends would be told.
        let quiet = "process handle SIGCHLD --notify false --pass true --stop false"
        say("Type 'run' to start the host, after 'breakpoint set --file FILE --line LINE' if you like.")
        var words = ([program, "-o", quiet, "--"] + host).map { strdup($0) } + [nil]
        execv(program, &words)
        throw ModuleError(
            "noDebugger", "'\(program)' can't be run: \(String(cString: strerror(errno))).", hint: other(host)
        )
    }

    /// What a person can type instead.
    private static func other(_ host: [String]) -> String {
        "gdb --args \(host.map(ShellWord.quoted).joined(separator: " "))"
    }

    /// What the debugger says instead of its version; nil if it starts.
    private static func problem(of program: String) async throws -> String? {
        let child = try ChildProcess(program, ["--version"], .joined)
        var first: String?
        if let output = child.output {
            for await line in output where first == nil { first = line }
        }
        return await child.wait().isSuccess ? nil : first ?? "it says nothing."
    }
}
