/// A problem in a file: the position, the field, and what is allowed there.
public struct Finding: Sendable, Hashable, CustomStringConvertible {
    /// The position of the offending value or key; of the object if a key is missing.
    public let position: SourcePosition

    /// The field as a path, such as `requires.Session` or `modules[1].name`; empty for the whole document.
    public let field: String

    /// A sentence about what is wrong and what is allowed, without the position and the field.
    public let message: String

    /// `12:5: error: version: …`, the part after the file name in a compiler's message.
    public var description: String {
        "\(position): error: \(field.isEmpty ? "" : field + ": ")\(message)"
    }
}

/// All problems in a manifest or in the host's configuration.
public struct ManifestError: Error, CustomStringConvertible {
    let file: String

    /// The problems, in the order of the file; never empty.
    public let findings: [Finding]

    /// All findings on one line, for a message that has named the file.
    public var sentence: String {
        findings
            .map { "line \($0.position.line)\($0.field.isEmpty ? "" : ", " + $0.field): \($0.message)" }
            .joined(separator: " ")
    }

    /// One line for each finding, as compilers print it: `Plugins/Session/module.json:12:5: error: …`.
    public var description: String {
        findings.map { "\(file):\($0)" }.joined(separator: "\n")
    }
}

extension DocumentReader.Field {
    /// The path of a key, such as `modules[1].name`; a key that could be mistaken for a path is quoted:
    /// `screens["entities/:id"]`.
    func path(to key: String) -> String {
        let isPlain =
            !key.isEmpty && key.utf8.count <= Wording.longestExcerpt
            && key.utf8.allSatisfy {
                $0.isWordCharacter || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "$")
            }
        return isPlain ? path + (path.isEmpty ? "" : ".") + key : path + "[\"\(Wording.clipped(key))\"]"
    }
}
