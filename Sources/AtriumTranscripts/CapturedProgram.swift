internal import AtriumKit
internal import AtriumLanguage
internal import AtriumLibraries
internal import AtriumRedirection
internal import AtriumStorage
internal import AtriumText
internal import Dispatch
internal import Glibc

/// A program that reads a result, and whose output is captured instead of printed.
@MainActor
final class CapturedProgram: ResultTarget {
    let name: String
    private let text: String
    private let program: ReadingProgram
    private let print: (String) -> Void
    private let output = Promise<[UInt8]>()

    /// Opens the destination of a scene's result; `print` gets a program's output, once it has ended.
    static func open(
        _ destination: OutputRedirection, print: @escaping (String) -> Void
    ) async throws -> any ResultTarget {
        guard case .program(let text) = destination else { return try await LocalTarget.open(destination) }
        return try CapturedProgram(text, print)
    }

    private init(_ text: String, _ print: @escaping (String) -> Void) throws {
        self.text = text
        self.print = print
        name = "'\(text.shortened)'"
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw ShellError(
                "programFailed", "'\(text.shortened)' can't be run: \(SystemError.current.reason).")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { Glibc.close(ends[1]) }
        do {
            program = try ReadingProgram(text, output: ends[1], errors: ends[1])
        } catch {
            Glibc.close(ends[0])
            throw error
        }
        DispatchQueue(label: "atrium.captured-program").async { [descriptor = ends[0], output] in
            var (read, piece) = ([UInt8](), [UInt8](repeating: 0, count: 64 * 1024))
            while true {
                let count = piece.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                read += piece[..<count]
            }
            Glibc.close(descriptor)
            output.settle(.success(read))
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> CInt? {
        program.write(Array(bytes))
        return nil
    }

    func drained() async throws -> Bool { await program.drained() }

    func close(keeps: Bool) async throws {
        let problem = await program.end()
        print(String(decoding: try await output.value(), as: UTF8.self))
        guard let problem else { return }
        throw ShellError(
            "programFailed", "The program '\(text.shortened)' \(problem).",
            hint: "The command itself was \(keeps ? "done" : "not done").")
    }
}
