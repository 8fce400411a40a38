internal import CProcess
internal import Glibc

/// Starts a program by posix_spawn, which shares the memory of this process with the child until the program
/// runs (`CLONE_VFORK`): the cost does not grow with the host.
enum Spawn {
    /// - Returns: The number of the process and of its group.
    /// - Throws: ``ModuleError`` if the program can't be run.
    static func run(_ program: Program, _ descriptors: ChildDescriptors) throws -> pid_t {
        keepStatusOfChildren
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        prepare(&attributes)

        var process: pid_t = 0
        var failure = prepare(&actions, program, descriptors)
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

    /// With SIGCHLD ignored, as a parent may leave it, the status of a child is lost.
    private static let keepStatusOfChildren: Void = {
        var current = sigaction()
        // SIG_IGN is the pointer 1, which Swift does not import.
        guard sigaction(SIGCHLD, nil, &current) == 0,
            unsafeBitCast(current.__sigaction_handler.sa_handler, to: Int.self) == 1
        else { return }
        signal(SIGCHLD, SIG_DFL)
    }()

    /// Sets a group of its own, so that Ctrl-C at the terminal does not reach the child, and the default action
    /// of all signals, unblocked: those that are ignored here would otherwise be ignored there.
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
        _ actions: inout posix_spawn_file_actions_t, _ program: Program, _ descriptors: ChildDescriptors
    ) -> CInt {
        var failures: [CInt] = []
        for number in 0..<CInt(3) where !descriptors.childEnds.contains(where: { $0.number == number }) {
            let mode = number == 0 ? O_RDONLY : O_WRONLY
            failures.append(posix_spawn_file_actions_addopen(&actions, number, "/dev/null", mode, 0))
        }
        for end in descriptors.childEnds {
            failures.append(posix_spawn_file_actions_adddup2(&actions, end.copy, end.number))
        }
        if case .sameAsOutput = program.errors {
            failures.append(posix_spawn_file_actions_adddup2(&actions, 1, 2))
        }
        failures.append(process_close_from(&actions, program.inherited == nil ? 3 : 4))
        if let folder = program.workingFolder { failures.append(process_enter_folder(&actions, folder)) }
        return failures.first { $0 != 0 } ?? 0
    }

    /// Calls `body` with the variables of this process, with changes; nil removes a variable.
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

/// The descriptors of a child that is about to be started: those that it gets, and the other ends of its pipes.
///
/// The descriptors that it gets are first copied to numbers above 3: one that is 0 to 3 here could otherwise be
/// overwritten before it is moved. All are closed with the object, except those that were taken, and on exec.
final class ChildDescriptors {
    /// The copies, with the numbers that the child has them as.
    private(set) var childEnds: [(copy: CInt, number: CInt)] = []
    private var ourEnds: [CInt: CInt] = [:]
    private static let lowest: CInt = 4

    /// - Throws: ``ModuleError`` if the system has no more descriptors, or one of the program's is not open.
    init(_ program: Program) throws {
        do throws(Failure) {
            if case .pipe = program.input { try pipe(to: 0) }
            switch program.output {
            case .nothing: break
            case .pipe: try pipe(to: 1)
            case .descriptor(let descriptor): try pass(descriptor, as: 1)
            }
            switch program.errors {
            case .nothing, .sameAsOutput: break
            case .pipe: try pipe(to: 2)
            case .descriptor(let descriptor): try pass(descriptor, as: 2)
            }
            if let inherited = program.inherited { try pass(inherited, as: 3) }
        } catch {
            throw ModuleError.notStarted(program, errno: error.errno)
        }
    }

    deinit {
        for end in childEnds { close(end.copy) }
        for end in ourEnds.values { close(end) }
    }

    /// Our end of the pipe that the child has as `number`; the caller closes it.
    func takeEnd(of number: CInt) -> CInt? {
        ourEnds.removeValue(forKey: number)
    }

    private func pipe(to number: CInt) throws(Failure) {
        var ends: [CInt] = [-1, -1]
        let failure = process_pipe(&ends)
        guard failure == 0 else { throw Failure(errno: failure) }
        let (theirs, ours) = number == 0 ? (ends[0], ends[1]) : (ends[1], ends[0])
        ourEnds[number] = ours
        defer { close(theirs) }
        // Writing may block: it has a thread of its own. Reading waits for events of Dispatch.
        if number != 0 { _ = fcntl(ours, F_SETFL, O_NONBLOCK) }
        try pass(theirs, as: number)
    }

    private func pass(_ descriptor: CInt, as number: CInt) throws(Failure) {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, Self.lowest)
        guard copy >= 0 else { throw Failure(errno: errno) }
        childEnds.append((copy, number))
    }

    private struct Failure: Error {
        let errno: CInt
    }
}
