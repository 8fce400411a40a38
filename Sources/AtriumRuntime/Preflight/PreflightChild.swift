@_spi(Host) internal import AtriumKit
internal import AtriumManifest
internal import AtriumStorage
internal import Glibc

/// The child process's side of a ``Preflight``: does with new libraries what the host is about to do, and
/// tells each step, so that whatever ends the process is laid at the door of who did it.
///
/// Works in environment mock and in a scratch folder; standard output is for the host, modules can't reach it.
@MainActor
package struct PreflightChild {
    /// The name of the request in the scratch folder.
    static let requestFile = "request.json"
    /// Where a crash is written to, in the scratch folder.
    package static let crashFile = "crash"

    private let request: PreflightRequest
    private let site: any ModuleSite
    private let events: CInt
    private var loaded: [(module: PreflightRequest.Module, generation: Generation)] = []

    /// - Parameters:
    ///   - folder: The scratch folder, with the request in it.
    ///   - site: Gives modules what they need, in the scratch folder.
    /// - Throws: Where the request can't be read.
    package init(folder: String, site: any ModuleSite) throws {
        let bytes = try FileContents.read("\(folder)/\(Self.requestFile)")
        request = try StateCoding.decode(PreflightRequest.self, from: String(decoding: bytes, as: UTF8.self))
        self.site = site
        events = dup(1)
        _ = fcntl(events, F_SETFD, FD_CLOEXEC)
        let nothing = open("/dev/null", O_WRONLY)
        dup2(nothing, 1)
        close(nothing)
        ResourceLimits(data: request.memoryLimit).applyToSelf()
    }

    /// Tries everything; what can't be told by an event ends the process.
    package mutating func run() async {
        for module in request.modules {
            do {
                try load(module)
            } catch {
                tell(error, of: module)
            }
        }
        await verify()
        for (module, generation) in loaded where module.isNew { await activate(module, generation) }
        for (module, generation) in loaded.reversed() where module.isNew {
            tell(.deactivate, module)
            await generation.instance.deactivate()
        }
        send(PreflightEvent(kind: .done))
    }

    private mutating func load(_ module: PreflightRequest.Module) throws {
        guard let section = try ELFFile(RandomAccessFile(module.library)).section(ModuleLibraries.section)
        else {
            throw ModuleError.noManifest(module.source)
        }
        let manifest = try ModuleManifest(json: section, file: module.source)
        tell(.load, module)
        let candidate = Candidate(
            manifest: manifest, source: module.source,
            library: StoredLibrary(path: module.library, digest: module.digest), evidence: "", identity: "")
        let library = try DynamicLibrary(candidate.library, name: module.name)
        CrashHandler.add(imageAt: library.address, module: module.name, generation: 1, digest: module.digest)
        tell(.create, module)
        guard let instance = library.makeModule() else {
            throw ModuleError.noEntry(module.name, symbol: manifest.entry)
        }
        tell(.register, module)
        let configuration = try ModuleConfiguration.merge(
            ManifestValue.members(json: module.configuration), into: manifest)
        let scope = ModuleScope(
            name: module.name, requires: Set(manifest.requires.map(\.name)),
            infrastructure: site.infrastructure(
                for: module.name, migrations: type(of: instance).migrations, configuration: configuration))
        let registry = try Registering.run(instance, as: scope, manifest)
        try site.container.add(registry)
        do {
            try site.check(registry.screens, replacingThoseOf: [])
        } catch {
            site.container.remove(scope)
            throw error
        }
        site.exchange(registry.screens, replacingThoseOf: [])
        loaded.append(
            (
                module,
                Generation(
                    number: 1, candidate: candidate, scope: scope, instance: instance, registry: registry)
            ))
    }

    /// Builds everything; a finding counts against the new module that it leads to first.
    private func verify() async {
        send(PreflightEvent(kind: .begin, step: .verify))
        let screens = loaded.flatMap(\.generation.screens)
        let infrastructures = site.container
        guard
            let report = try? infrastructures.verify(
                screens: screens, infrastructure: { $0.infrastructure })
        else { return }
        let owners = Dictionary(
            report.graph.nodes.map { ($0.name, $0.module) }, uniquingKeysWith: { first, _ in first })
        for finding in report.findings {
            let modules = finding.path.compactMap { owners[$0] }
            let new = loaded.map(\.module).filter(\.isNew)
            guard let culprit = modules.lazy.compactMap({ name in new.first { $0.name == name } }).first
            else {
                continue
            }
            tell(finding.error, of: culprit)
        }
    }

    private func activate(_ module: PreflightRequest.Module, _ generation: Generation) async {
        tell(.activate, module)
        // What it throws here may be due to the empty surroundings: the host finds out by itself, and
        // leaves everything as it was then.
        try? await generation.instance.activate(ActivationContext(site.container, for: generation.scope))
    }

    // MARK: - Telling

    private func tell(_ step: PreflightEvent.Step, _ module: PreflightRequest.Module) {
        send(PreflightEvent(kind: .begin, module: module.name, step: step))
    }

    private func tell(_ error: any Error, of module: PreflightRequest.Module) {
        let explained = error as? any ExplainedError ?? ModuleError.failed(module.name, in: "start", error)
        send(
            PreflightEvent(
                kind: .refused, module: module.name,
                refusal: KeptVerdict.Refusal(
                    code: explained.code.rawValue, message: explained.message, hint: explained.hint)))
    }

    private func send(_ event: PreflightEvent) {
        guard let text = try? StateCoding.encode(event) else { return }
        let line = Array((text + "\n").utf8)
        _ = write(events, line, line.count)
    }
}
