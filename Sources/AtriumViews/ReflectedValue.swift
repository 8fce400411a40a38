@_spi(Host) package import AtriumKit
package import AtriumText

/// A value in memory, one level deep: runs no code of its module.
@MainActor
package struct ReflectedValue {
    private let value: Any

    package init(_ value: Any) { self.value = value }

    /// The part of a value that a path names: `rows[0].name`.
    ///
    /// - Throws: ``ShellError`` if there is no such part, or it may be a secret.
    package func part(_ path: Substring) throws(ShellError) -> ReflectedValue {
        guard let first = path.first else { return self }
        let rest = first == "." ? path.dropFirst() : path
        let name =
            rest.first == "[" ? rest.prefix { $0 != "]" } + "]" : rest.prefix { $0 != "." && $0 != "[" }
        guard let child = child(String(name)) else {
            let names = parts.map(\.name)
            throw ShellError.unknown(
                "unknownPart", String(name), among: names,
                else: names.isEmpty
                    ? "It has no parts." : "It has \(names.prefix(8).joined(separator: ", "))."
            ) { "\(type) has no '\($0)'." }
        }
        guard !SecretName.matches(name) else {
            throw ShellError("secret", "'\(name)' may be a secret, and is not shown.", category: .refused)
        }
        return try ReflectedValue(child).part(rest.dropFirst(min(name.count, rest.count)))
    }

    private func child(_ name: String) -> Any? {
        guard name.hasPrefix("[") else { return parts.first { $0.name == name }?.value }
        guard let value = StoredParts.unwrapped(value), let count = StoredParts.count(of: value),
            let index = Int(name.dropFirst().dropLast()), (0..<count).contains(index)
        else { return nil }
        return StoredParts.elements(of: value, atMost: index + 1).last
    }

    private var type: String { RegistrationKey.name(of: Swift.type(of: value)) }

    /// The stored properties, those of superclasses first; the first elements of a collection.
    private var parts: [(name: String, value: Any)] {
        guard let value = StoredParts.unwrapped(value), !Self.isPlain(value) else { return [] }
        guard StoredParts.count(of: value) != nil else { return StoredParts.parts(of: value) }
        return StoredParts.elements(of: value, atMost: Self.limit).enumerated().map { ("[\($0)]", $1) }
    }

    /// The most parts that are shown.
    private static let limit = 100

    package var content: Content {
        let parts = parts
        let count = StoredParts.unwrapped(value).flatMap(StoredParts.count) ?? parts.count
        return Content {
            Field("type", type)
            if parts.isEmpty { Field("value", Self.text(of: value)) }
            if !parts.isEmpty {
                Table(Array(parts.prefix(Self.limit))) {
                    Column("name") { $0.name }
                    Column("type") { RegistrationKey.name(of: Swift.type(of: $0.value)) }
                    Column("value") { SecretName.matches($0.name) ? "hidden" : Self.text(of: $0.value) }
                }
            }
            if count > Self.limit {
                Notice(.information, "\(count - Self.limit) more parts are left out.")
            }
        }
    }

    /// True for values of the libraries that are shown as a text.
    private static func isPlain(_ value: Any) -> Bool {
        value is String || value is any BinaryInteger || value is any BinaryFloatingPoint || value is Bool
            || value is Timestamp || value is Character || value is Substring || value is Duration
    }

    /// A short text: of values that are one, else the number of parts.
    private static func text(of value: Any) -> String {
        guard let value = StoredParts.unwrapped(value) else { return "nil" }
        if let text = value as? String { return text.excerpt }
        if isPlain(value) { return "\(value)".excerpt }
        if let count = StoredParts.count(of: value) { return RecordNoun("element").counted(count) }
        let parts = StoredParts.parts(of: value)
        if let name = StoredParts.enumCase(of: value) { return parts.isEmpty ? name : "\(name)(…)" }
        return parts.isEmpty ? "" : "…"
    }
}
