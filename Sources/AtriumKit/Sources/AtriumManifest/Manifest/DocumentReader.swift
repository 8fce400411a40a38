/// Reads one file: parses it, validates it, and collects what only the typed reading can know.
///
/// All findings come together: what is read goes on with stand-ins after a finding, and ``finish()``
/// throws before anybody sees them.
struct DocumentReader {
    /// The document that is read.
    private(set) var root: LocatedJSON

    private let file: String
    private var findings: [Finding] = []

    /// Parses a file.
    init(_ bytes: [UInt8], file: String) throws(ManifestError) {
        self.file = file
        do {
            root = try LocatedJSON(parsing: bytes)
        } catch {
            let finding = Finding(position: error.position, field: "", message: error.message)
            throw ManifestError(file: file, findings: [finding])
        }
    }

    /// Adds what a schema does not allow in the document.
    mutating func validate(against schema: JSONSchema) {
        findings += schema.findings(in: root)
    }

    /// Takes a member out of the document, so that the schema does not see it.
    mutating func remove(_ key: String) -> LocatedJSON.Member? {
        guard let index = root.members.firstIndex(where: { $0.key == key }) else { return nil }
        var members = root.members
        let member = members.remove(at: index)
        root = LocatedJSON(.object(members), at: root.position)
        return member
    }

    /// Adds a finding, unless there is one about the same place and field.
    mutating func report(at position: SourcePosition, field: FieldPath, _ message: String) {
        let field = field.description
        if findings.contains(where: { $0.position == position && $0.field == field }) { return }
        findings.append(Finding(position: position, field: field, message: message))
    }

    /// Throws what was found, if anything was.
    func finish() throws(ManifestError) {
        if !findings.isEmpty { throw ManifestError(file: file, findings: findings.inFileOrder()) }
    }
}

/// Values of the document; stand-ins where the schema has found something.
extension DocumentReader {
    /// The text of a key of the document.
    func text(_ key: String) -> String {
        root[key]?.text ?? ""
    }

    /// The semantic version in a value; a finding where it is none.
    mutating func version(_ value: LocatedJSON?, at key: String) -> SemanticVersion {
        guard let value, let text = value.text else { return SemanticVersion(0, 0, 0) }
        do {
            return try SemanticVersion(parsing: text)
        } catch {
            report(at: value.position, field: FieldPath(.key(key)), error.message)
            return SemanticVersion(0, 0, 0)
        }
    }
}
