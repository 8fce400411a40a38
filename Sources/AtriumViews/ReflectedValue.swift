@_spi(Host) package import AtriumKit
package import AtriumText

/// A value in memory, one level deep, by reflection: runs no code of its module, unless that declares a mirror.
@MainActor
package struct ReflectedValue {
    private let value: Any

    package init(_ value: Any) { self.value = value }

    /// The value without its optionals; nil if there is none.
    package static func unwrapped(_ value: Any) -> Any? {
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .optional else { return value }
        return mirror.children.first.flatMap { unwrapped($0.value) }
    }

    /// The part of a value that a path names: `rows[0].name`.
    ///
    /// - Throws: ``ShellError`` if there is no such part.
    package func part(_ path: Substring) throws(ShellError) -> ReflectedValue {
        guard let first = path.first else { return self }
        let rest = first == "." ? path.dropFirst() : path
        let name =
            rest.first == "[" ? rest.prefix { $0 != "]" } + "]" : rest.prefix { $0 != "." && $0 != "[" }
        let child =
            name.first == "["
            ? Int(name.dropFirst().dropLast()).flatMap { index in
                children.indices.contains(index) ? children[index].value : nil
            }
            : children.first { $0.name == name }?.value
        guard let child else {
            throw ShellError.unknown(
                "unknownPart", String(name), among: children.map(\.name), else: "It has no parts."
            ) { "\(type) has no '\($0)'." }
        }
        guard !SecretName.matches(name) else {
            throw ShellError("secret", "'\(name)' may be a secret, and is not shown.", category: .refused)
        }
        return try ReflectedValue(child).part(rest.dropFirst(min(name.count, rest.count)))
    }

    private var type: String { RegistrationKey.name(of: Swift.type(of: value)) }

    /// The stored properties, those of superclasses first; the elements of a collection.
    private var children: [(name: String, value: Any)] {
        guard let value = Self.unwrapped(value) else { return [] }
        var mirrors = [Mirror(reflecting: value)]
        while let parent = mirrors[0].superclassMirror { mirrors.insert(parent, at: 0) }
        return mirrors.flatMap { $0.children }.enumerated().map { index, child in
            // Observable types keep their properties under another name.
            let name = child.label.map { $0.hasPrefix("_") ? String($0.dropFirst()) : $0 } ?? "[\(index)]"
            return (name, child.value)
        }.filter { $0.name != "$observationRegistrar" }
    }

    /// The most parts that are shown.
    private static let limit = 100

    package var content: Content {
        let parts = children
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
            if parts.count > Self.limit {
                Notice(.information, "\(parts.count - Self.limit) more parts are left out.")
            }
        }
    }

    /// A short text: of values that are one, else the number of parts.
    private static func text(of value: Any) -> String {
        guard let value = unwrapped(value) else { return "nil" }
        switch value {
        case let text as String: return text.excerpt
        case is any BinaryInteger, is any BinaryFloatingPoint, is Bool, is Timestamp: return "\(value)"
        default: break
        }
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .collection, .set, .dictionary:
            return RecordNoun("element").counted(mirror.children.count)
        case .enum where mirror.children.isEmpty: return "\(value)".excerpt
        default: return mirror.children.isEmpty ? "" : "…"
        }
    }
}
