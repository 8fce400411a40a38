internal import AtriumLibraries
internal import AtriumManifest

extension ModuleRuntime {
    /// Applies the changes of earlier processes, before the modules are started.
    func apply(_ installed: InstalledModules) {
        former = installed.former ?? []
        origins = installed.origins ?? [:]
        for module in modules where installed.removed.contains(module.name) {
            removed[module.name] = module.configured
        }
        modules.removeAll { installed.removed.contains($0.name) }
        for added in installed.added where module(added.name) != nil { upgrade(added) }
        for added in installed.added where module(added.name) == nil {
            let configuration = removed[added.name]?.configuration ?? []
            modules.append(
                Module(
                    .init(name: added.name, path: added.path, configuration: configuration), origin: .added))
        }
        for (name, build) in installed.rolledBack { module(name)?.rolledBack = build }
    }

    /// Replaces the library of a module in `modules.json` by the one that it was upgraded to.
    private func upgrade(_ added: InstalledModules.Added) {
        guard let index = modules.firstIndex(where: { $0.name == added.name }), let instead = added.instead,
            instead == configuredVersion(of: added.name), FileSystem.exists(added.path)
        else { return }
        var configured = modules[index].configured
        configured.path = added.path
        modules[index] = Module(configured, isUpgraded: true)
    }

    /// The version of a module's library at its path in `modules.json`; nil if it can't be read.
    func configuredVersion(of name: String) -> String? {
        configuredLibrary(of: name).flatMap { try? DiscoveredLibrary(RandomAccessFile($0)) }?
            .manifest.version.description
    }

    /// True if `modules.json` names exactly this library of a removed module.
    func isAsConfigured(_ library: CheckedLibrary) -> Bool {
        configuredLibrary(of: library.name) == library.source
    }
}
