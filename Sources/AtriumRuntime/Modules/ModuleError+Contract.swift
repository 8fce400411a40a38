extension ModuleError {
    /// How many declarations a message names; the rest is counted.
    private static let namedDeclarations = 5

    static func missingDeclarations(
        _ module: String, _ missing: [KitDeclaration], host: String
    ) -> ModuleError {
        var needs = missing.prefix(namedDeclarations).map(\.description)
        if missing.count > needs.count { needs.append("\(missing.count - needs.count) more") }
        let last = needs.popLast() ?? ""
        let sentence = needs.isEmpty ? last : "\(needs.joined(separator: ", ")) and \(last)"
        return ModuleError(
            .incompatible,
            "Module '\(module)' needs \(sentence) of AtriumKit, "
                + "which AtriumKit \(host) of this host does not have.",
            hint: "Build the module against this host's AtriumKit.")
    }
}
