@_spi(Host) internal import AtriumKit
internal import AtriumLibraries
internal import AtriumManifest
internal import AtriumModules
internal import AtriumRepositories
internal import AtriumText
internal import AtriumViews
internal import Glibc

/// The commands that install modules from the repositories of modules.json.
extension HostCommands {
    var offeredNames: [String] { offersNames ? host.changes.offeredNames : [] }

    /// True if a word names a module of the repositories, rather than a file.
    ///
    /// - Throws: An error if a file has this name and a repository that may have the module can't be read.
    func isOffered(_ typed: String) async throws -> Bool {
        let name = String(typed.prefix { $0 != "@" })
        guard TextFormat.moduleName.accepts(name) else { return false }
        if name != typed { return true }
        guard host.changes.hasRepositories else {
            guard access(try scene.path(typed), F_OK) != 0 else { return false }
            throw ShellError(
                "libraryNotFound", "There is no file '\(typed)' here, and no repositories are configured.",
                hint: "Give the path of a library, or name a folder under \"repositories\" in modules.json.",
                category: .module)
        }
        let catalog = try await host.changes.catalog()
        let path = try scene.path(typed)
        guard catalog.offers[name] == nil, access(path, F_OK) == 0 else { return true }
        guard let problem = catalog.problems.first else { return false }
        guard (try? ModuleSource(path: path)) != nil else { throw problem }
        throw ShellError(
            problem.code, problem.message, hint: "To add the local module: module add ./\(name)",
            cause: problem, category: problem.category)
    }

    /// - Throws: An error if one of several words names a module in the repositories and not a file.
    func requireFiles(_ typed: [String]) async throws {
        for word in typed {
            guard access(try scene.path(word), F_OK) != 0, try await isOffered(word) else { continue }
            throw ArgumentError(
                .invalidArgument, "Add modules from repositories one at a time.",
                hint: "module add \(word.shortened)")
        }
    }

    @ActionsBuilder var repositories: [Action] {
        Action(
            "module search", "List the modules of the repositories", effect: .reads,
            Argument<String?>("text", "Part of a name or summary", suggestions: offeredNames)
        ) { text in
            let catalog = try await host.changes.catalog()
            return .content(
                RepositoryViews.search(text, in: catalog, installed: host.changes.installedVersion))
        }
        Action(
            "module upgrade",
            "Load newer versions of modules from the repositories; of all modules unless named",
            effect: .changes,
            Argument<[String]>("name", "The modules", default: [], suggestions: moduleNames), plan, Action.yes
        ) { names, isPlan, isConfirmed in
            try await run(.upgrade(names), isPlan, isConfirmed: isConfirmed)
        }
    }

    func run(
        _ command: RepositoryCommand, _ isPlan: Bool, isConfirmed: Bool
    ) async throws -> ActionResult {
        let catalog = try await host.changes.catalog()
        let problems = RepositoryViews.problems(catalog.problems)
        if isPlan {
            let plan = try await host.changes.plan(command, from: catalog)
            return result(
                Content {
                    ChangeViews.plan(plan); problems
                }, plan, nil)
        }
        let report = try await host.changes.run(command, from: catalog, isConfirmed: isConfirmed)
        return result(
            Content {
                if !report.plan.steps.isEmpty { ChangeViews.report(report) }; problems
            }, report.plan,
            ChangeViews.sentence(report))
    }

    private func result(_ content: Content, _ plan: ChangePlan, _ sentence: String?) -> ActionResult {
        .content(content, plan.steps.isEmpty ? "Already up to date." : sentence)
    }

    static func release(_ text: String, of command: String = "module add") throws -> (
        name: String, range: VersionRange
    ) {
        let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        guard TextFormat.moduleName.accepts(name) else {
            throw ArgumentError(
                .invalidArgument, TextFormat.moduleName.refusal(of: name), hint: "\(command) Notes@^1.2")
        }
        let range = parts.count > 1 ? String(parts[1]) : "*"
        // In a manifest 'x' means any version; typed without a number, it is a mistake.
        guard range.contains(where: \.isNumber) || !range.lowercased().contains("x") else {
            throw ArgumentError(
                .invalidArgument, "'\(text)' has no version number.", hint: "\(command) \(name)@^1.2")
        }
        do {
            return (name, try VersionRange(parsing: range))
        } catch {
            throw ArgumentError(.invalidArgument, error.message, hint: "\(command) \(name)@^1.2")
        }
    }
}
