internal import AtriumManifest

/// Reads the text of `modules.lock`, and reports all errors at once.
///
/// Not a schema: a digest is longer than the patterns of ``JSONSchema`` can be.
struct LockFileReader {
    private let root: LocatedJSON
    private let file: String
    private var findings: [Finding] = []

    init(_ json: [UInt8], file: String) throws(ManifestError) {
        self.file = file
        do {
            root = try LocatedJSON(parsing: json)
        } catch {
            let finding = Finding(position: error.position, field: "", message: error.message)
            throw ManifestError(file: file, findings: [finding])
        }
    }

    /// Reads all entries; keeps errors for ``finish()``.
    mutating func modules() -> [String: LockFile.Entry] {
        guard checkIsObject(root, at: "") else { return [:] }
        checkKeys(of: root, at: "", allowed: ["version", "modules"])
        // Another format may differ in anything: nothing else is checked.
        guard checkFormat(), let modules = root["modules"], checkIsObject(modules, at: "modules") else {
            return [:]
        }
        var entries: [String: LockFile.Entry] = [:]
        for member in modules.members {
            checkName(member)
            entries[member.key] = entry(member.value, at: Self.join("modules", member.key))
        }
        return entries
    }

    func finish() throws(ManifestError) {
        guard !findings.isEmpty else { return }
        let sorted = findings.enumerated().sorted {
            ($0.element.position, $0.offset) < ($1.element.position, $1.offset)
        }
        throw ManifestError(file: file, findings: sorted.map(\.element))
    }

    private mutating func checkFormat() -> Bool {
        guard let version = root["version"] else { return false }
        let known = ManifestValue.integer(Int64(LockFile.formatVersion))
        guard ManifestValue(version) != known else { return true }
        findings = []
        report(at: version.position, "version", "This host reads version \(known.json) of the format.")
        return false
    }

    private mutating func checkName(_ member: LocatedJSON.Member) {
        let isName = member.key.utf8.first.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        if isName == true, Self.isPlain(member.key) { return }
        report(
            at: member.keyPosition, Self.join("modules", member.key),
            "The name of a module is a capital letter, then letters and digits.")
    }

    private mutating func entry(_ value: LocatedJSON, at field: String) -> LockFile.Entry? {
        guard checkIsObject(value, at: field) else { return nil }
        checkKeys(of: value, at: field, allowed: ["version", "blake2b"])
        let version = version(value["version"], at: "\(field).version")
        let digest = digest(value["blake2b"], at: "\(field).blake2b")
        guard let version, let digest else { return nil }
        return LockFile.Entry(version: version, digest: digest)
    }

    private mutating func version(_ value: LocatedJSON?, at field: String) -> SemanticVersion? {
        guard let value else { return nil }
        guard let text = value.text else {
            report(at: value.position, field, "A version is a text, such as '1.0.0'.")
            return nil
        }
        do {
            return try SemanticVersion(parsing: text)
        } catch {
            report(at: value.position, field, error.message)
            return nil
        }
    }

    private mutating func digest(_ value: LocatedJSON?, at field: String) -> String? {
        guard let value else { return nil }
        guard let text = value.text, ContentDigest(hexadecimal: text) != nil else {
            report(
                at: value.position, field,
                "A digest is 128 of the digits 0-9 and a-f, as 'b2sum' prints them.")
            return nil
        }
        return text
    }
}

/// The shape of objects.
extension LockFileReader {
    private mutating func checkIsObject(_ value: LocatedJSON, at field: String) -> Bool {
        if case .object = value.content { return true }
        report(at: value.position, field, "An object is expected here.")
        return false
    }

    private mutating func checkKeys(of object: LocatedJSON, at field: String, allowed: [String]) {
        for member in object.members where !allowed.contains(member.key) {
            report(
                at: member.keyPosition, Self.join(field, member.key),
                "Unknown key. Allowed: \(allowed.joined(separator: ", ")).")
        }
        for key in allowed where object[key] == nil {
            report(at: object.position, Self.join(field, key), "Required key '\(key)' is missing.")
        }
    }

    private mutating func report(at position: SourcePosition, _ field: String, _ message: String) {
        findings.append(Finding(position: position, field: field, message: message))
    }

    private static func join(_ field: String, _ key: String) -> String {
        // Whatever the file holds, a message stays one printable line.
        let key = isPlain(key) ? key : "…"
        return field.isEmpty ? key : "\(field).\(key)"
    }

    /// Whether a key is some letters and digits of ASCII.
    private static func isPlain(_ key: String) -> Bool {
        key.utf8.count <= 60
            && key.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: false
                }
            }
    }
}
