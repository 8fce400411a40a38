@_spi(Host) import AtriumKit
import Glibc
import TestSupport
import Testing

@testable import AtriumLibraries

@Suite("Pictures by Graphviz")
struct GraphvizTests {
    private let folder = TemporaryFolder()

    /// Puts a program `dot` into the folder.
    private func program(_ script: String) {
        let path = folder.write("#!/bin/sh\n\(script)\n".utf8, to: "dot")
        chmod(path, 0o755)
    }

    private func failure(path: String? = nil) async -> (any ExplainedError)? {
        do {
            _ = try await Graphviz.svg(of: ["digraph {}"], path: path ?? folder.path)
            return nil
        } catch {
            return error as? any ExplainedError
        }
    }

    @Test("The program gets the graph in a file, and its picture is returned in lines")
    func picture() async throws {
        program(#"[ "$1 $2" = "-Tsvg -o" ] && { echo "<svg>"; cat "$4"; echo; echo "</svg>"; } > "$3""#)

        let lines = try await Graphviz.svg(of: ["digraph {", "}"], path: "/nowhere:\(folder.path)")

        #expect(lines == ["<svg>", "digraph {", "}", "</svg>"])
    }

    @Test("Without the program the error says what to install")
    func missing() async {
        let error = await failure(path: "/nowhere")

        #expect(error?.code == "graphvizMissing")
        #expect(
            error?.message == "There is no program 'dot' in the PATH of the host: a picture needs Graphviz.")
        #expect(error?.hint == "apt-get install graphviz")
        folder.write("no program".utf8, to: "dot")
        #expect(await failure()?.code == "graphvizMissing")
    }

    @Test("A program that fails is told with its words")
    func fails() async {
        program("echo 'syntax error in line 1' >&2; exit 3")

        let error = await failure()

        #expect(error?.code == "graphvizFailed")
        #expect(
            error?.message
                == "Graphviz could not draw the graph: '\(folder.path)/dot' ended with status 3. "
                + "It said: syntax error in line 1")
    }

    @Test("Cancelling ends the program", .timeLimit(.minutes(1)))
    func cancelled() async {
        program("exec sleep 600")
        let path = folder.path
        let drawing = Task { try await Graphviz.svg(of: ["digraph {}"], path: path) }
        await Task.yield()

        drawing.cancel()

        await #expect(throws: CancellationError.self) { try await drawing.value }
    }
}
