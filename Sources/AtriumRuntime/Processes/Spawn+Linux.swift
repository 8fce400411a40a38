internal import CProcess
internal import Glibc

/// Starts a program by posix_spawn, which shares the memory of this process with the child until the program
/// runs (`CLONE_VFORK`): the cost does not grow with the host.
enum Spawn {
    /// - Returns: The number of the process and of its group.
    /// - Throws: ``ModuleError`` if the program can't be run.
    static func run(_ program: Program, _ pipes: ChildPipes) throws -> pid_t {
        keepStatusOfChildren
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        prepare(&attributes)

        var process: pid_t = 0
        var failure = prepare(&actions, program, pipes)
        if failure == 0 {
            failure = withStrings([program.path] + program.arguments) { arguments in
                posix_spawn(
                    &process, program.path, &actions, &attributes, arguments, process_environment())
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
        _ actions: inout posix_spawn_file_actions_t, _ program: Program, _ pipes: ChildPipes
    ) -> CInt {
        var failures: [CInt] = []
        for number in 0..<CInt(3) where !pipes.childEnds.contains(where: { $0.number == number }) {
            let mode = number == 0 ? O_RDONLY : O_WRONLY
            failures.append(posix_spawn_file_actions_addopen(&actions, number, "/dev/null", mode, 0))
        }
        for end in pipes.childEnds {
            failures.append(posix_spawn_file_actions_adddup2(&actions, end.copy, end.number))
        }
        if case .sameAsOutput = program.errors {
            failures.append(posix_spawn_file_actions_adddup2(&actions, 1, 2))
        }
        failures.append(process_close_from(&actions, 3))
        return failures.first { $0 != 0 } ?? 0
    }

    private static func withStrings(
        _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> CInt
    ) -> CInt {
        let copies = strings.map { strdup($0) } + [nil]
        defer { copies.forEach { free($0) } }
        return body(copies)
    }
}

/// The pipes of a child that is about to be started.
///
/// The child's ends have numbers above 2: one that is 0 to 2 here could be overwritten before it is moved. All are
/// closed with the object, except those that were taken, and on exec.
final class ChildPipes {
    /// The child's ends, with the numbers that it has them as.
    private(set) var childEnds: [(copy: CInt, number: CInt)] = []
    private var ourEnds: [CInt: CInt] = [:]

    /// - Throws: ``ModuleError`` if the system has no more descriptors.
    init(_ program: Program) throws {
        var failure: CInt = 0
        if case .pipe = program.output { failure = makePipe(1) }
        if failure == 0, case .pipe = program.errors { failure = makePipe(2) }
        guard failure == 0 else { throw ModuleError.notStarted(program, errno: failure) }
    }

    deinit {
        for end in childEnds { close(end.copy) }
        for end in ourEnds.values { close(end) }
    }

    /// Our end of the pipe that the child has as `number`; the caller closes it.
    func takeEnd(of number: CInt) -> CInt? {
        ourEnds.removeValue(forKey: number)
    }

    /// - Returns: 0, or the value of errno.
    private func makePipe(_ number: CInt) -> CInt {
        var ends: [CInt] = [-1, -1]
        let failure = process_pipe(&ends)
        guard failure == 0 else { return failure }
        defer { close(ends[1]) }
        ourEnds[number] = ends[0]
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        let copy = fcntl(ends[1], F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else { return errno }
        childEnds.append((copy, number))
        return 0
    }
}
