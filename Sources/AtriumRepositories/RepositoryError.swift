package import AtriumKit
internal import AtriumLibraries
internal import AtriumStorage
internal import Glibc

/// A reason why a repository can't be used or lacks the requested module.
package struct RepositoryError: ExplainedError {
    package let code: ErrorCode
    package let message: String
    package let hint: String?
    package let cause: (any Error)?

    init(_ code: ErrorCode, _ message: String, hint: String? = nil, cause: (any Error)? = nil) {
        (self.code, self.message, self.hint, self.cause) = (code, message, hint, cause)
    }

    static func indexCommand(_ folder: String) -> String {
        "atrium repository index \(FileSystem.quoted(folder))"
    }

    // MARK: - A repository

    static func noFolder(_ folder: String, _ number: CInt = errno) -> RepositoryError {
        RepositoryError(
            "repositoryMissing",
            "The repository '\(folder)' can't be read: \(SystemError(number: number).reason).",
            hint: "Correct \"repositories\" in modules.json, or bring the folder there.")
    }

    static func noIndex(_ folder: String) -> RepositoryError {
        RepositoryError(
            "indexMissing", "The repository '\(folder)' has no \(RepositoryIndex.fileName).",
            hint: indexCommand(folder))
    }

    static func unreadable(_ folder: String, _ error: any ExplainedError) -> RepositoryError {
        RepositoryError(
            "indexInvalid", "The index of the repository '\(folder)' can't be used. \(error.message)",
            hint: error.hint, cause: error)
    }

    static func invalid(_ folder: String, _ problem: String) -> RepositoryError {
        RepositoryError(
            "indexInvalid", "The index of the repository '\(folder)' is damaged: \(problem)",
            hint: indexCommand(folder))
    }

    static func stale(_ folder: String, _ problems: [String]) -> RepositoryError {
        let more = problems.count > 1 ? "; so are \(problems.count - 1) more of its files" : ""
        return RepositoryError(
            "indexStale", "The index of the repository '\(folder)' is stale: \(problems[0])\(more).",
            hint: indexCommand(folder))
    }

    // MARK: - A library of one

    package static func otherContent(_ offer: RepositoryOffer, _ problem: String) -> RepositoryError {
        RepositoryError(
            "otherContent",
            "Module '\(offer.name)' \(offer.version) was not installed: '\(offer.path)' \(problem).",
            hint: "Bring the repository over again, or have its index written again.")
    }

    // MARK: - Requests

    package static let none = RepositoryError(
        "noRepositories", "No repositories are configured.",
        hint: "Name a folder under \"repositories\" in modules.json.")

    package static func notOffered(_ name: String, _ catalog: RepositoryCatalog) -> RepositoryError {
        let nearest = NearestName.of(name, among: catalog.names).map { "Did you mean '\($0)'?" }
        return RepositoryError(
            .notFound, "No repository has a module '\(name.excerpt)'.\(problems(catalog))",
            hint: nearest ?? "'module search' lists the modules that they have.")
    }

    package static func cannotInstall(
        _ what: String, _ reasons: [String], _ catalog: RepositoryCatalog, hint: String
    ) -> RepositoryError {
        RepositoryError(
            "unmetRequirement", "\(what): \(sentence(reasons))\(problems(catalog))", hint: hint)
    }

    /// The problems that keep repositories from offering it.
    private static func problems(_ catalog: RepositoryCatalog) -> String {
        catalog.problems.map { " \($0.message)" }.joined()
    }

    /// The first three reasons, and the number of the others.
    package static func sentence(_ reasons: [String]) -> String {
        let more = reasons.count - 3
        let rest = more > 0 ? " There \(more == 1 ? "is 1 more reason" : "are \(more) more reasons")." : ""
        return reasons.prefix(3).joined(separator: " ") + rest
    }
}
