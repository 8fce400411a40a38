@_spi(Host) internal import AtriumKit
internal import AtriumLibraries

/// Errors about a module's state.
extension ModuleError {
    static func notActive(_ module: String, state: ModuleState) -> ModuleError {
        ModuleError(
            .moduleNotActive, "Module '\(module)' is not active: \(state.reason ?? "it is \(state.name).")",
            hint: state.hint(for: module).flatMap { $0.hasPrefix("module ") ? $0 : nil } ?? "why \(module)")
    }

    @MainActor
    static func newerDatabase(
        _ generation: Generation, has version: Int, _ copy: MigrationCopies.Copy?, _ copies: MigrationCopies
    ) -> ModuleError {
        let (name, known) = (generation.name, generation.migrations.count)
        let problem =
            "Module '\(name)' \(generation.version) supports version \(known) of its database, which has version "
            + "\(version)."
        guard let copy else {
            return ModuleError(
                .databaseNewer, problem, hint: "Build a version of it that can read the newer database.")
        }
        return ModuleError(
            .databaseNewer,
            "\(problem) A copy of \(copy.date) can be put back, which would lose \(copies.loss(copy)).",
            hint: "module rollback \(name) --restore-data")
    }
}
