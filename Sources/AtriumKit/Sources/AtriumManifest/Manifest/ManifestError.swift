/// Everything that is wrong in a manifest or in the host's configuration.
public struct ManifestError: Error, Sendable, Hashable {
    /// The name of the file, as it was given to the reader.
    public let file: String

    /// What is wrong, in the order of the file; never empty.
    public let findings: [Finding]

    /// All findings in one line, for a message that has named the file.
    public var sentence: String {
        findings
            .map { "line \($0.position.line)\($0.field.isEmpty ? "" : ", " + $0.field): \($0.message)" }
            .joined(separator: " ")
    }

    /// Makes an error from what was found in a file.
    public init(file: String, findings: [Finding]) {
        self.file = file
        self.findings = findings
    }
}

extension ManifestError: CustomStringConvertible {
    /// One line for each finding, in the form of compilers: `Plugins/Session/module.json:12:5: error: …`.
    public var description: String {
        findings.map { "\(file):\($0)" }.joined(separator: "\n")
    }
}
