@_spi(Host) package import AtriumKit
package import AtriumManifest

/// Merges a module's configuration with the declarations in its manifest.
package enum ModuleConfiguration {
    /// The declared defaults, replaced by the configured values.
    ///
    /// - Throws: ``ModuleError`` with code `badConfiguration` naming every key that is not declared or whose
    ///   value has another type.
    package static func merge(
        _ configured: ConfiguredValues, into manifest: ModuleManifest
    ) throws -> Configuration {
        var values: [String: JSONValue] = [:]
        for declared in manifest.configuration {
            if let value = declared.defaultValue { values[declared.key] = JSONValue(value) }
        }
        func problems(with members: [ManifestValue.Member]) -> [(key: String, text: String)] {
            members.compactMap { member in
                let (key, value) = (member.key, member.value)
                guard let declared = manifest.configuration.first(where: { $0.key == key }) else {
                    return (key, unknown(key, manifest.configuration.map(\.key)))
                }
                values[key] = JSONValue(value)
                return declared.problem(with: value).map { (key, "\"\(key)\" \($0).") }
            }
        }
        let inFile = problems(
            with: configured.file.filter { member in
                !configured.changes.contains { $0.key == member.key }
            })
        let inChanges = problems(with: configured.changes)
        if let error = ModuleError.all(
            (inChanges.isEmpty ? [] : [.configured(manifest.name, inChanges)])
                + (inFile.isEmpty
                    ? [] : [.configuration(manifest.name, inFile.map(\.text).joined(separator: " "))]))
        {
            throw error
        }
        return Configuration(values)
    }

    private static func unknown(_ key: String, _ keys: [String]) -> String {
        let nearest = NearestName.of(key, among: keys).map { "; did you mean \"\($0)\"?" } ?? "."
        return "it does not know \"\(key)\"" + nearest
    }
}

extension JSONValue {
    package init(_ value: ManifestValue) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .integer(value)
        case .number(let value): self = .number(value)
        case .string(let value): self = .string(value)
        case .array(let values): self = .array(values.map(JSONValue.init))
        case .object(let members):
            var object = JSONObject()
            for member in members { object[member.key] = JSONValue(member.value) }
            self = .object(object)
        }
    }
}
