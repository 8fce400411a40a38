package import AtriumKit
package import AtriumManifest
package import AtriumRepositories
internal import AtriumText

@MainActor
package enum RepositoryViews {
    /// The modules whose name or summary contains a text, each with the version that would be installed.
    package static func search(
        _ text: String?, in catalog: RepositoryCatalog, installed: @escaping (String) -> SemanticVersion?
    ) -> Content {
        let found = catalog.names.compactMap { catalog.best($0) }.filter { offer in
            guard let text = text?.lowercased() else { return true }
            return offer.name.lowercased().contains(text) || offer.entry.summary.lowercased().contains(text)
        }
        return Content {
            if found.isEmpty {
                Content.noRows
            } else {
                Table(found) {
                    Column("name") { $0.name }
                    Column("version") { $0.version.description }
                    Column("installed") { installed($0.name)?.description }
                    Column("summary") { $0.entry.summary }
                    Column("requires", isHidden: true) { offer in
                        offer.entry.requires.map(\.description).joined(separator: ", ")
                    }
                    Column("repository", isHidden: true) { $0.repository }
                }
            }
            if found.isEmpty, catalog.problems.isEmpty {
                Notice(
                    .information,
                    text.map { "No module of the repositories has '\($0)' in its name or summary." }
                        ?? "The repositories have no modules.")
            }
            for offer in found { if let misfit = offer.misfit { Notice(.warning, misfit) } }
            problems(catalog.problems)
        }
    }

    @ContentBuilder
    package static func problems(_ errors: [RepositoryError]) -> Content {
        for error in errors { Notice(.warning, error.message, hint: error.hint) }
    }

    /// The index that `atrium repository index` wrote.
    package static func indexed(_ report: RepositoryWriter.Report) -> (content: Content, message: String) {
        let content = Content {
            Table(report.entries) {
                Column("name") { $0.name }
                Column("version") { $0.version.description }
                Column("sdk", label: "AtriumKit") { $0.sdk.description }
                Column("file") { $0.file }
                Column("capabilities", label: "May reach") { entry in
                    let declared = report.capabilities[entry.file]?.words
                    return Worded(declared ?? "not declared", declared.map(JSONValue.string) ?? .null)
                }
            }
            Field("path", label: "Index", report.path)
            Field("key", label: "Signed by key", report.key)
            for sentence in report.missing { Notice(.warning, sentence) }
            for name in report.others { Notice(.warning, "'\(name)' has no manifest, so it is not listed.") }
        }
        return (content, "Wrote \(report.path)\(report.key == nil ? ", not signed" : "").")
    }
}
