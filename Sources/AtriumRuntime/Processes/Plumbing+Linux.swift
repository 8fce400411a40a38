internal import CProcess
internal import Glibc

/// The descriptors of a child that is about to be started: those it is given, and the other ends of its
/// pipes.
///
/// What it is given is copied to numbers above all that the child will have: otherwise a descriptor that
/// happens to be 0 to 3 here could be overwritten before it is put in its place. All are closed with the
/// object, except what was taken; all are closed on exec.
final class Plumbing {
    /// What the child has as which number.
    private(set) var childEnds: [(copy: CInt, number: CInt)] = []
    private var ourEnds: [CInt: CInt] = [:]
    private static let lowest: CInt = 4

    /// - Throws: ``ModuleError`` where the system has no more descriptors, or one that is given is not open.
    init(_ program: Program) throws {
        do throws(Failure) {
            if case .pipe = program.input { try pipe(to: 0) }
            switch program.output {
            case .nothing: break
            case .pipe: try pipe(to: 1)
            case .descriptor(let descriptor): try give(descriptor, as: 1)
            }
            switch program.errors {
            case .nothing, .sameAsOutput: break
            case .pipe: try pipe(to: 2)
            case .descriptor(let descriptor): try give(descriptor, as: 2)
            }
            if let inherited = program.inherited { try give(inherited, as: 3) }
        } catch {
            throw ModuleError.notStarted(program, errno: error.errno)
        }
    }

    deinit {
        for end in childEnds { close(end.copy) }
        for end in ourEnds.values { close(end) }
    }

    /// Our end of the pipe that the child has as `number`, from now on the caller's to close.
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
        // Writing may block: it has a thread of its own. Reading waits for Dispatch to say that there is
        // something.
        if number != 0 { _ = fcntl(ours, F_SETFL, O_NONBLOCK) }
        try give(theirs, as: number)
    }

    private func give(_ descriptor: CInt, as number: CInt) throws(Failure) {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, Self.lowest)
        guard copy >= 0 else { throw Failure(errno: errno) }
        childEnds.append((copy, number))
    }

    private struct Failure: Error {
        let errno: CInt
    }
}
