package import AtriumKit
package import AtriumLibraries
internal import AtriumManifest
package import AtriumModules
internal import AtriumText

package enum ConfigurationViews {
    package static func list(_ values: [ConfiguredValues.Value]) -> Content {
        Content {
            if values.isEmpty { Notice(.information, "The module has no configuration.") }
            table(values, key: "rows")
        }
    }

    /// The values of a module, under a separate key beside other tables.
    package static func table(_ values: [ConfiguredValues.Value], key: String = "configuration") -> Content {
        Content {
            Table(values, key: key) {
                Column("key", label: key == "rows" ? "Key" : "Configuration") { $0.key }
                Column("value") { Worded($0.text ?? "", $0.json) }
                Column("origin", label: "From") { $0.origin.rawValue }
                Column("type", isHidden: true) { $0.declaration?.type.rawValue }
                Column("choices", isHidden: true) {
                    Worded($0.declaration?.choices.map(\.text) ?? [])
                }
                Column("minimum", isHidden: true) { value in
                    Worded("", value.declaration?.minimum.flatMap { Self.number($0) } ?? .null)
                }
                Column("maximum", isHidden: true) { value in
                    Worded("", value.declaration?.maximum.flatMap { Self.number($0) } ?? .null)
                }
                Column("summary") { $0.declaration?.summary ?? "The manifest does not declare it." }
            }
        }
    }

    private static func number(_ value: ManifestValue) -> JSONValue? {
        switch value {
        case .integer(let number): .integer(number)
        case .number(let number): .number(number)
        default: nil
        }
    }

    /// The values that a change sets; hidden from users where a sentence says the same.
    package static func changes(_ values: [ChangePlan.Value], isHidden: Bool) -> Content {
        Content {
            Table(values, key: "configuration") {
                Column("module", isHidden: true) { $0.module }
                Column("key", isHidden: isHidden) { $0.key }
                Column("from", isHidden: isHidden) { Worded($0.from.text ?? "", $0.from.json) }
                Column("to", isHidden: isHidden) { Worded($0.to?.text ?? "", $0.to?.json ?? .null) }
                Column("origin", label: "From then on", isHidden: isHidden) { $0.to?.origin.rawValue }
            }
        }
    }
}
