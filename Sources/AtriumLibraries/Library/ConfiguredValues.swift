@_spi(Host) package import AtriumKit
package import AtriumManifest

/// A module's values in `modules.json`, and those set by `module configure`, which take precedence.
package struct ConfiguredValues: Sendable {
    package let file: [ManifestValue.Member]
    package let changes: [ManifestValue.Member]

    package init(file: [ManifestValue.Member], changes: [ManifestValue.Member] = []) {
        self.file = file
        self.changes = changes
    }

    /// The effective values, each key once.
    package var members: [ManifestValue.Member] {
        file.filter { member in !changes.contains { $0.key == member.key } } + changes
    }

    /// Every value of a module, those declared in its manifest first.
    package func values(of manifest: ModuleManifest) -> [Value] {
        let keys = manifest.configuration.map(\.key)
        let declared = manifest.configuration.map { value($0.key, $0) }
        let others = members.map(\.key).filter { !keys.contains($0) }
        return declared + others.map { value($0, nil) }
    }

    private func value(_ key: String, _ declaration: ConfigurationDeclaration?) -> Value {
        if let change = changes.last(where: { $0.key == key }) {
            return Value(key: key, value: change.value, origin: .command, declaration: declaration)
        }
        if let member = file.last(where: { $0.key == key }) {
            return Value(key: key, value: member.value, origin: .file, declaration: declaration)
        }
        let origin: Value.Origin = declaration?.defaultValue == nil ? .nowhere : .manifest
        return Value(key: key, value: declaration?.defaultValue, origin: origin, declaration: declaration)
    }

    /// A value of a module, and its origin.
    package struct Value: Sendable {
        package let key: String
        /// Nil without a default.
        let value: ManifestValue?
        package let origin: Origin
        /// Nil if the manifest does not declare the key.
        package let declaration: ConfigurationDeclaration?

        package enum Origin: String, Sendable {
            case nowhere = "-"
            case manifest = "default"
            case file = "modules.json"
            case command = "module configure"
        }

        /// True if the value is never shown.
        package var isSecret: Bool { SecretName.matches(key) }

        /// The value as text for the user; `…` for a secret, nil if there is none.
        package var text: String? { value.map { isSecret ? "…" : $0.text } }

        /// The value for programs; null for a secret.
        package var json: JSONValue { isSecret ? .null : value.map { JSONValue($0) } ?? .null }

        /// True if a module sees the same value.
        package func isSame(as other: Value) -> Bool {
            value.map { JSONValue($0) } == other.value.map { JSONValue($0) }
        }
    }
}

extension ManifestValue {
    /// The value as a user types it.
    package var text: String { if case .string(let text) = self { text } else { json } }

    package init(_ value: JSONValue) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .integer(value)
        case .number(let value): self = .number(value)
        case .string(let value): self = .string(value)
        case .array(let values): self = .array(values.map { ManifestValue($0) })
        case .object(let object):
            self = .object(object.members.map { Member(key: $0.key, value: ManifestValue($0.value)) })
        }
    }
}
