internal import AtriumManifest

extension ModuleRuntime {
    /// Puts what was changed at the prompt of earlier processes into effect, before the modules are started.
    func apply(_ installed: InstalledModules) {
        for module in modules where installed.removed.contains(module.name) {
            removed[module.name] = module.configured
        }
        modules.removeAll { installed.removed.contains($0.name) }
        for added in installed.added where module(added.name) == nil {
            let configuration = removed[added.name]?.configuration ?? []
            modules.append(
                Module(
                    .init(name: added.name, path: added.path, configuration: configuration), origin: .added))
        }
        for (name, build) in installed.rolledBack { module(name)?.rolledBack = build }
    }

    /// Whether `modules.json` names the very library of a module that was removed.
    func isAsConfigured(_ candidate: Candidate) -> Bool {
        guard configuredNames.contains(candidate.name) else { return false }
        let path = removed[candidate.name]?.path
        return (try? reader.locate(candidate.name, path: path)) == candidate.source
    }

    /// Keeps a module from being loaded.
    func quarantine(_ module: Module, _ quarantine: CrashHistory.Quarantine) {
        module.quarantine = quarantine
    }
}
