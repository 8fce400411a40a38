internal import AtriumLibraries
internal import AtriumManifest
internal import AtriumRepositories

/// The list of modules that is kept for the next start.
extension ModuleManager {
    /// Returns the list after a change that is not published yet.
    func after(_ request: ChangeRequest) -> InstalledModules {
        var installed = installed
        for library in request.additions {
            installed.forget(library.name)
            installed.added.removeAll { $0.name == library.name }
            if runtime.isAsConfigured(library) {
                installed.removed.removeAll { $0 == library.name }
            } else {
                installed.added.append(added(library))
            }
        }
        for name in request.removals {
            if let former = former(name) { installed.note(former) }
            let wasAdded = installed.added.contains { $0.name == name }
            installed.added.removeAll { $0.name == name }
            installed.rolledBack[name] = nil
            let isConfigured = runtime.configuredNames.contains(name)
            if !wasAdded || isConfigured, !installed.removed.contains(name) { installed.removed.append(name) }
        }
        for library in request.updates {
            keepSource(of: library, in: &installed)
            installed.rolledBack[library.name] = nil
            if request.cause == .rollback, let module = runtime.module(library.name),
                let left = module.current?.library ?? module.previous
            {
                installed.rolledBack[library.name] = .init(digest: library.digest, instead: left.digest)
            }
        }
        installed.origins = origins(after: request)
        return installed
    }

    /// The repositories of the libraries that the host still has, and of the arriving and replaced ones, including
    /// those known only from the folder of a file.
    private func origins(after request: ChangeRequest) -> [String: String]? {
        var origins = runtime.origins
        let replaced = request.updates.compactMap { runtime.module($0.name)?.current?.library }
        for library in replaced + request.additions + request.updates {
            origins[library.digest] =
                request.origins[library.digest] ?? origins[library.digest]
                ?? runtime.limit(of: library, request)?.repository
        }
        if !origins.isEmpty {
            let (stored, used) = (Set(runtime.reader.store.digests), usedLibraries)
            origins = origins.filter { digest, _ in
                stored.contains(digest) || used.contains { Repositories.isLibrary($0, withDigest: digest) }
            }
        }
        return origins.isEmpty ? nil : origins
    }

    /// A module that is being removed, with its words.
    private func former(_ name: String) -> InstalledModules.Former? {
        guard let module = runtime.module(name) else { return nil }
        let isInstalled = module.path.map(repositories.has) == true
        return InstalledModules.Former(
            name: name, time: runtime.journal.now, source: isInstalled ? name : module.path,
            links: module.manifest?.screens.map(\.pattern) ?? [],
            commands: module.manifest?.commands.map(\.name) ?? [])
    }

    /// Records the library that a module was updated to, if it would otherwise be loaded from another.
    private func keepSource(of library: CheckedLibrary, in installed: inout InstalledModules) {
        let former = installed.added.firstIndex { $0.name == library.name }
        guard runtime.configuredNames.contains(library.name), !installed.removed.contains(library.name) else {
            if let former {
                installed.added[former] = added(library, instead: installed.added[former].instead)
            }
            return
        }
        let instead = former.flatMap { installed.added.remove(at: $0).instead }
        guard repositories.has(library.source),
            let instead = instead ?? runtime.configuredVersion(of: library.name)
        else { return }
        installed.added.append(added(library, instead: instead))
    }

    private func added(_ library: CheckedLibrary, instead: String? = nil) -> InstalledModules.Added {
        .init(name: library.name, path: library.source, instead: instead)
    }
}
