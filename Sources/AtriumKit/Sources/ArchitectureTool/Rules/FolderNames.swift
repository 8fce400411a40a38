/// A module's folders are its layers; what lies elsewhere is checked by no rule.
struct FolderNames: Rule {
    let name = "folder-name"

    func violations(in code: CodeBase) -> [Violation] {
        guard code.target.role == .module(providesTransport: false) else { return [] }
        return code.files.indices.compactMap { index in
            guard let folder = code.files[index].folder, Layer(rawValue: folder) == nil else { return nil }
            let first = code.files[index].occurrences.first
            let known = Layer.folders.joined(separator: ", ")
            return Violation(
                rule: name, file: index, line: first?.line ?? 1, column: first?.column ?? 1,
                message:
                    "the folder '\(folder)' is no layer, so nothing in it is checked; use one of \(known)")
        }
    }
}
