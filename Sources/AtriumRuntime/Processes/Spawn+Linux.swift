internal import CProcess
internal import Glibc

/// Starts a program by posix_spawn, which shares the memory of this process with the child until the program
/// runs (`CLONE_VFORK`): the cost does not grow with the host.
enum Spawn {
    /// - Returns: The number of the process, which is also that of its group.
    /// - Throws: ``ModuleError`` where the program can't be run.
    static func run(_ program: Program, _ plumbing: Plumbing) throws -> pid_t {
        keepStatusOfChildren
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        prepare(&attributes)

        var process: pid_t = 0
        var failure = prepare(&actions, program, plumbing)
        if failure == 0 {
            failure = withStrings([program.path] + program.arguments) { arguments in
                withVariables(program.environment) { variables in
                    posix_spawn(&process, program.path, &actions, &attributes, arguments, variables)
                }
            }
        }
        guard failure == 0 else { throw ModuleError.notStarted(program, errno: failure) }
        return process
    }

    /// A host that was started with SIGCHLD ignored would never learn how a child ended.
    private static let keepStatusOfChildren: Void = {
        var current = sigaction()
        // SIG_IGN is the pointer 1, which Swift does not import.
        guard sigaction(SIGCHLD, nil, &current) == 0,
            unsafeBitCast(current.__sigaction_handler.sa_handler, to: Int.self) == 1
        else { return }
        signal(SIGCHLD, SIG_DFL)
    }()

    /// A group of its own, so that Ctrl-C at the terminal does not reach it, no signal blocked, and all
    /// signals with their default action: what is ignored here would stay ignored there.
    private static func prepare(_ attributes: inout posix_spawnattr_t) {
        var signals = sigset_t()
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = CInt(POSIX_SPAWN_SETPGROUP) | CInt(POSIX_SPAWN_SETSIGDEF) | CInt(POSIX_SPAWN_SETSIGMASK)
        posix_spawnattr_setflags(&attributes, Int16(flags))
    }

    /// - Returns: 0, or the value of errno.
    private static func prepare(
        _ actions: inout posix_spawn_file_actions_t, _ program: Program, _ plumbing: Plumbing
    ) -> CInt {
        var failures: [CInt] = []
        for number in 0..<CInt(3) where !plumbing.childEnds.contains(where: { $0.number == number }) {
            let mode = number == 0 ? O_RDONLY : O_WRONLY
            failures.append(posix_spawn_file_actions_addopen(&actions, number, "/dev/null", mode, 0))
        }
        for end in plumbing.childEnds {
            failures.append(posix_spawn_file_actions_adddup2(&actions, end.copy, end.number))
        }
        if case .sameAsOutput = program.errors {
            failures.append(posix_spawn_file_actions_adddup2(&actions, 1, 2))
        }
        failures.append(process_close_from(&actions, program.inherited == nil ? 3 : 4))
        if let folder = program.workingFolder { failures.append(process_enter_folder(&actions, folder)) }
        return failures.first { $0 != 0 } ?? 0
    }

    /// Calls `body` with the variables of this process, changed as told.
    private static func withVariables(
        _ changes: [String: String?], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> CInt
    ) -> CInt {
        guard let current = process_environment() else { return withStrings([], body) }
        if changes.isEmpty { return body(current) }
        var variables: [String] = []
        var next = current
        while let variable = next.pointee {
            let text = String(cString: variable)
            if !changes.keys.contains(String(text.prefix { $0 != "=" })) { variables.append(text) }
            next += 1
        }
        for (name, value) in changes {
            if let value { variables.append("\(name)=\(value)") }
        }
        return withStrings(variables, body)
    }

    private static func withStrings(
        _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> CInt
    ) -> CInt {
        let copies = strings.map { strdup($0) } + [nil]
        defer { copies.forEach { free($0) } }
        return body(copies)
    }
}
