/// Picks the errors out of the output of a build.
struct CompilerErrors {
    private static let most = 3
    /// The last of them, in order, each once.
    private(set) var last: [String] = []

    /// Takes a line of output; one without an error in it counts for nothing.
    ///
    /// The compiler prints "FILE:LINE:COLUMN: error: TEXT", SwiftPM and linkers "error: TEXT".
    mutating func add(_ line: String) {
        guard line.hasPrefix("error: ") || line.contains(": error: ") else { return }
        // SwiftPM's last word says only that something failed, where what did was said before.
        if line == "error: fatalError", !last.isEmpty { return }
        last.removeAll { $0 == line }
        last = (last + [line]).suffix(Self.most)
    }
}
