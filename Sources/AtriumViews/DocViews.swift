@_spi(Host) package import AtriumKit
package import AtriumSnippets

/// Documentation as content.
package enum DocViews {
    /// The most declarations that are shown.
    private static let most = 8

    private static let rows = "rows"

    /// The declarations, types before their members.
    package static func list(_ found: [DocumentedDeclaration]) -> Content {
        let found = found.sorted { $0.name.count(where: { $0 == "." }) < $1.name.count(where: { $0 == "." }) }
        return Content {
            for declaration in found.prefix(most) {
                Group(rows, title: declaration.name) {
                    Field("kind", "\(declaration.kind) of \(declaration.module)")
                    if let source = declaration.source { Field("source", source) }
                    Verbatim("declaration", declaration.code.split(separator: "\n").map(String.init))
                    for paragraph in declaration.text.split(separator: "") {
                        Text(paragraph.joined(separator: " "))
                    }
                }
            }
            if found.count > most {
                Notice(
                    .information, "\(found.count - most) more are left out: write the type before the name.")
            }
            // For programs, in place of the groups.
            Verbatim(rows, [], value: .array(found.map { .object(json(of: $0)) }))
        }
    }

    private static func json(of declaration: DocumentedDeclaration) -> JSONObject {
        let source = declaration.source.map(JSONValue.string) ?? .null
        return [
            "module": .string(declaration.module), "name": .string(declaration.name),
            "kind": .string(declaration.kind), "declaration": .string(declaration.code),
            "documentation": .string(declaration.text.joined(separator: "\n")), "source": source,
        ]
    }
}
