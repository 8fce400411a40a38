@_spi(Host) internal import AtriumKit
internal import AtriumStorage
internal import Glibc

/// The program `dot` of Graphviz, which draws graphs; installed with the system.
package enum Graphviz {
    /// The time limit for drawing: the layout of thousands of nodes takes minutes.
    private static let limit = Duration.seconds(60)
    /// The size limit of a picture, in bytes; larger ones are too big to look at.
    private static let largest = 64 << 20

    /// Draws a graph as SVG.
    ///
    /// - Parameters:
    ///   - dot: The graph in Graphviz's language.
    ///   - path: The folders to search for the program; by default those of this process's `PATH`.
    /// - Returns: The lines of the picture.
    /// - Throws: ``ModuleError`` if Graphviz is missing or fails, and `CancellationError`.
    package static func svg(
        of dot: [String], path: String? = getenv("PATH").map { String(cString: $0) }
    ) async throws -> [String] {
        guard let program = PackageBuild.find("dot", in: path ?? "") else {
            throw ModuleError(
                "graphvizMissing",
                "There is no program 'dot' in the PATH of the host: a picture needs Graphviz.",
                hint: "apt-get install graphviz")
        }
        let folder = try ScratchFolder()
        let (source, picture) = (folder.path("graph.dot"), folder.path("graph.svg"))
        try AtomicFile.write(Array(dot.joined(separator: "\n").utf8), to: source, synchronizing: false)
        let child = try ChildProcess(program, ["-Tsvg", "-o", picture, source], .joined)
        let watchdog = Task {
            try await Task.sleep(for: limit)
            child.end(grace: 0)
        }
        defer { watchdog.cancel() }
        var said: [String] = []
        if let output = child.output {
            for await line in output { said = said.suffix(4) + [line] }
        }
        let reason = await child.wait()
        try Task.checkCancellation()
        guard reason.isSuccess else {
            let words = said.isEmpty ? "" : " It said: \(said.joined(separator: " "))"
            throw ModuleError(
                "graphvizFailed", "Graphviz could not draw the graph: '\(program)' \(reason).\(words)",
                hint: "The same command with --dot prints what it was given.")
        }
        let bytes = try FileContents.read(picture, limit: largest)
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
