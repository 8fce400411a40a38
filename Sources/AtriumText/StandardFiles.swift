package import AtriumKit
internal import Dispatch
internal import Glibc

/// The files that replace standard input and output, typed as `-`, while an action runs.
///
/// Actions take paths. Input is first copied into a file; the action's output is printed afterwards, so that
/// a failed action prints none of it.
@MainActor
package final class StandardFiles {
    private let folder: ScratchFolder
    package private(set) var hasOutput = false

    package init() throws(FileError) { folder = try ScratchFolder() }

    package var inputPath: String { folder.path("standard-input") }
    package var outputPath: String { folder.path("standard-output") }

    package func useOutput() { hasOutput = true }

    /// Copies all input into the file for standard input.
    package func fill(from read: @MainActor () async throws -> [UInt8]?) async throws {
        let file = try AtomicFile(inputPath, replaces: true)
        while let bytes = try await read() { try file.write(bytes) }
        try file.finish()
    }

    /// Calls `body` with the action's output, in pieces that end with a line if possible.
    package func forEachPiece(_ body: @MainActor (String) async throws -> Void) async throws {
        let descriptor = open(outputPath, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var pending: [UInt8] = []
        while true {
            let bytes = [UInt8](unsafeUninitializedCapacity: 64 * 1024) { buffer, count in
                count = max(0, Glibc.read(descriptor, buffer.baseAddress, buffer.count))
            }
            pending += bytes
            let end = bytes.isEmpty ? nil : pending.lastIndex(of: UInt8(ascii: "\n"))
            if bytes.isEmpty || end != nil {
                let count = end.map { $0 + 1 } ?? pending.count
                if count > 0 { try await body(String(decoding: pending.prefix(count), as: UTF8.self)) }
                pending.removeFirst(count)
            }
            if bytes.isEmpty { return }
        }
    }
}

/// Standard input, while no commands are read from it.
package enum StandardInput {
    private static let pieceSize = 64 * 1024
    private static let queue = DispatchQueue(label: "atrium.standard-input-of-actions")

    /// Reads the next bytes off the main queue; nil at the end.
    package static func read() async throws -> [UInt8]? {
        let promise = Promise<[UInt8]?>()
        queue.async {
            promise.settle(Result { try bytes(of: STDIN_FILENO) })
        }
        return try await promise.value()
    }

    /// The next bytes of a descriptor, waiting for them; nil at the end.
    package static func bytes(of descriptor: CInt) throws(ShellError) -> [UInt8]? {
        while true {
            var result = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: pieceSize) { buffer, filled in
                result = Glibc.read(descriptor, buffer.baseAddress, pieceSize)
                filled = max(0, result)
            }
            if result > 0 { return bytes }
            if result == 0 { return nil }
            if errno == EAGAIN {
                // An earlier user of the descriptor left it non-blocking.
                var input = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                poll(&input, 1, -1)
            } else if errno != EINTR {
                throw ShellError(
                    "badInput", "Standard input can't be read: \(String(cString: strerror(errno))).",
                    hint: "Pipe the commands in, or name a file of them: atrium run FILE.")
            }
        }
    }
}
