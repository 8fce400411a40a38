@_spi(Host) internal import AtriumKit
package import AtriumLibraries
package import AtriumManifest

/// The most that `modules.json` allows the modules of a repository.
package struct RepositoryLimit: Codable, Sendable {
    let repository: String
    let capabilities: Capabilities

    package init(repository: String, capabilities: Capabilities) {
        (self.repository, self.capabilities) = (repository, capabilities)
    }
}

/// The limits of all repositories, found by where a library is.
///
/// Of nested repositories, the innermost decides; of several names for one folder, one with a limit.
package struct RepositoryLimits: Sendable {
    /// The folders with links resolved, innermost first; empty if none has a limit.
    private var folders: [(real: String, name: String, limit: Capabilities?)] = []

    /// Resolves the folders' links once.
    package init(_ repositories: [(folder: String, limit: Capabilities?)] = []) {
        guard repositories.contains(where: { $0.limit != nil }) else { return }
        folders = repositories.map { repository in
            let name = FileSystem.normalized(repository.folder)
            return (FileSystem.realPath(name) ?? name, name, repository.limit)
        }.sorted {
            ($0.real.utf8.count, $0.limit == nil ? 0 : 1, $0.name)
                > ($1.real.utf8.count, $1.limit == nil ? 0 : 1, $1.name)
        }
    }

    /// The limit at the first of some paths that has one; nil for none.
    func limit(at paths: @autoclosure () -> [String]) -> RepositoryLimit? {
        guard !folders.isEmpty else { return nil }
        return paths().lazy.compactMap { path in
            let (real, name) = (FileSystem.realPath(path) ?? path, FileSystem.normalized(path))
            // The name of a folder stays its limit's, wherever a link leads later.
            let found = folders.first { $0.real.contains(file: real) || $0.name.contains(file: name) }
            return found.flatMap { found in
                found.limit.map { RepositoryLimit(repository: found.name, capabilities: $0) }
            }
        }.first
    }
}

extension String {
    /// True if a path is this folder, or in it.
    fileprivate func contains(file path: String) -> Bool {
        "\(path)/".hasPrefix(self == "/" ? "/" : "\(self)/")
    }
}

/// The reach of a module: what its manifest declares, all without `"capabilities"`, within the limit of its
/// repository.
///
/// Applied once, where the module gets its infrastructure. A guard for honest code: native code can reach
/// past its contexts.
struct Allowance {
    private let module: String
    private let declared: Capabilities?
    private let limit: RepositoryLimit?

    init(_ manifest: ModuleManifest, _ limit: RepositoryLimit?) {
        (module, declared, self.limit) = (manifest.name, manifest.capabilities, limit)
    }

    /// The error about a capability that the module doesn't have; nil for one that it has.
    ///
    /// `server` is the address of an API.
    func refusal(of capability: Capability, server: String? = nil) -> ModuleError? {
        if let declared, !declared.allow(capability, server: server) {
            return ModuleError(
                .notDeclared,
                "Module '\(module)' uses \(capability.phrase), which its manifest does not declare.",
                hint: "Add \(capability.line) to \"capabilities\" in its module.json.")
        }
        guard let limit, !limit.capabilities.allow(capability, server: server) else { return nil }
        return ModuleError(
            .notAllowed,
            "Module '\(module)' may not use \(capability.phrase): modules.json does not allow it for modules "
                + "from '\(limit.repository)'.",
            hint: "Add \(capability.line) to \"capabilities\" of that repository in modules.json.")
    }

    /// False if the module has all capabilities.
    var isLimited: Bool { declared != nil || limit != nil }

    /// The values of contexts that are withheld.
    var withheld: [ModuleScope.Withheld: any ExplainedError] {
        guard isLimited else { return [:] }
        var withheld: [ModuleScope.Withheld: any ExplainedError] = [:]
        withheld[.session] = refusal(of: .session)
        withheld[.changes] = refusal(of: .changes)
        return withheld
    }
}

extension Allowance {
    /// The infrastructure of the module, with refusals for what it may not reach.
    @MainActor
    func limiting(
        _ whole: ModuleScope.Infrastructure, of site: any ModuleSite
    ) -> ModuleScope.Infrastructure {
        guard isLimited else { return whole }
        var (database, makeFolder) = (whole.database, whole.makeDataFolder)
        if let refusal = refusal(of: .database) { database = AbsentDatabase(error: refusal) }
        if let refusal = refusal(of: .files(.folder)) { makeFolder = { throw refusal } }
        func refused(_ api: String) -> NoAPIClient? {
            refusal(of: .network(api), server: site.server(ofAPI: api)).map {
                NoAPIClient(.requestFailed($0.code, $0.message, hint: $0.hint))
            }
        }
        return ModuleScope.Infrastructure(
            database: database, clock: whole.clock, logger: whole.logger, analytics: whole.analytics,
            configuration: whole.configuration, api: refused(Capability.api) ?? whole.api,
            mocks: whole.mocks, namedAPI: { refused($0) ?? whole.namedAPI($0, $1) },
            makeDataFolder: makeFolder, changes: whole.changes, calls: whole.calls,
            ids: whole.ids)
    }
}

/// The reach of a library through its contexts, and its calls beside them.
package struct Reach: Sendable {
    package let module: String
    /// Nil if its manifest does not say.
    package let declared: Capabilities?
    let limit: RepositoryLimit?
    private let calls: [SystemCalls]

    init(module: String, declared: Capabilities?, limit: RepositoryLimit?, calls: [SystemCalls]) {
        (self.module, self.declared, self.limit, self.calls) = (module, declared, limit, calls)
    }

    /// The capabilities that the manifest declares, such as `database, network (api)`.
    package var words: String { declared?.words ?? "not declared" }
    /// The limit in modules.json; nil without one.
    package var limitWords: String? {
        limit.map { "\($0.capabilities.words), by modules.json for '\($0.repository)'" }
    }
    /// A sentence for each kind of function that it calls itself, without what it declares.
    package var sentences: [String] {
        calls.filter { $0.capability != .programs || declared?.allow(.programs) != true }.map {
            "\(module) \($0.phrase) itself, which its contexts can't refuse: "
                + "\($0.functions.joined(separator: ", "))."
        }
    }
}

extension ModuleRuntime {
    /// The limit for a library by the repository that it comes from; nil for none.
    ///
    /// The repository is the one recorded for its digest, by this change or an earlier one; otherwise the one whose
    /// folder contains its file. A symbolic link counts in its own folder and in that of its target.
    func limit(of library: CheckedLibrary, _ request: ChangeRequest?) -> RepositoryLimit? {
        let source = library.source
        let origin = request?.origins[library.digest] ?? origins[library.digest]
        return limits.limit(at: origin.map { [$0] } ?? [FileSystem.folder(of: source), source])
    }

    /// The limits for libraries, by their modules.
    func limits(
        of libraries: [CheckedLibrary], _ request: ChangeRequest? = nil
    ) -> [String: RepositoryLimit] {
        libraries.reduce(into: [:]) { $0[$1.name] = limit(of: $1, request) }
    }

    /// The repository that a build of a module comes from, or else the present build; nil for none.
    package func origin(of library: CheckedLibrary) -> String? {
        let present = module(library.name)?.current?.library
        return origins[library.digest]
            ?? present.flatMap { origins[$0.digest] ?? limit(of: $0, nil)?.repository }
    }

    /// The reach of a library, for a plan and `module NAME`.
    ///
    /// - Throws: ``ModuleError`` if the file's tables are damaged.
    package func reach(of library: CheckedLibrary, in request: ChangeRequest? = nil) throws -> Reach {
        Reach(
            module: library.name, declared: library.manifest.capabilities, limit: limit(of: library, request),
            calls: try SystemCalls.calls(of: library))
    }

    /// Refuses a library that calls functions of the system which the limit of its repository leaves out.
    ///
    /// - Throws: ``ModuleError`` that names the functions.
    func refuseSystemCalls(of library: CheckedLibrary, in request: ChangeRequest) throws {
        guard let limit = limit(of: library, request) else { return }
        let refused = try SystemCalls.calls(of: library).first { calls in
            calls.capability.map { !limit.capabilities.allow($0) } ?? true
        }
        guard let refused else { return }
        throw ModuleError(
            .notAllowed,
            "Module '\(library.name)' \(refused.phrase) itself (\(refused.functions.joined(separator: ", "))), "
                + "which modules.json does not allow for modules from '\(limit.repository)'.",
            hint: refused.capability.map {
                "To allow this, add \($0.line) to \"capabilities\" of that repository in modules.json."
            } ?? "Use a build without these calls, or remove \"capabilities\" from that repository.")
    }

    /// Checks that a module may use files that a user names.
    ///
    /// - Throws: ``ModuleError`` if it may not.
    package func requireFiles(_ use: Capability.FileUse, by module: String) throws {
        guard let library = self.module(module)?.current?.library else { return }
        if let refusal = Allowance(library.manifest, limit(of: library, nil)).refusal(of: .files(use)) {
            throw refusal
        }
    }
}
