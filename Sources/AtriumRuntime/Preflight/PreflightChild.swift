@_spi(Host) internal import AtriumKit
internal import AtriumManifest
internal import AtriumStorage
internal import Glibc

/// The child process of a ``Preflight``: does with new libraries what the host is about to do, and reports each
/// step, so that the end of the process can be attributed to a module.
///
/// Works in environment mock and in a scratch folder. Standard output is for the host; modules can't reach it.
@MainActor
package struct PreflightChild {
    /// The name of the request in the scratch folder.
    static let requestFile = "request.json"
    /// The name of the crash record in the scratch folder.
    package static let crashFile = "crash"

    private let request: PreflightRequest
    private let site: any ModuleSite
    private let events: CInt
    private var loaded: [(module: PreflightRequest.Module, generation: Generation)] = []

    /// - Parameters:
    ///   - folder: The scratch folder, with the request in it.
    ///   - site: Gives modules what they need, in the scratch folder.
    /// - Throws: If the request can't be read.
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

    /// Tries everything, and reports it.
    package mutating func run() async {
        for module in request.modules {
            do {
                try load(module)
            } catch {
                report(error, of: module)
            }
        }
        await verify()
        for (module, generation) in loaded where module.isNew { await activate(module, generation) }
        for (module, generation) in loaded.reversed() where module.isNew {
            report(.deactivate, module)
            await generation.instance.deactivate()
        }
        send(PreflightEvent(kind: .done))
    }

    private mutating func load(_ module: PreflightRequest.Module) throws {
        guard let section = try ELFFile(RandomAccessFile(module.library)).section(ModuleLibraries.section)
        else {
            throw ModuleError.noManifest(module.source)
        }
        let library = CheckedLibrary(
            manifest: try ModuleManifest(json: section, file: module.source), source: module.source,
            copy: StoredLibrary(path: module.library, digest: module.digest), evidence: "", identity: "")
        let generation = try Generation(
            library, number: 1, configured: ManifestValue.members(json: module.configuration), site: site,
            open: DynamicLibrary.open, willBegin: { report($0, module) })
        try site.container.add(generation.registry)
        do {
            try site.check(generation.screens, replacingThoseOf: [])
        } catch {
            site.container.remove(generation.scope)
            throw error
        }
        site.exchange(generation.screens, replacingThoseOf: [])
        loaded.append((module, generation))
    }

    /// Builds everything; a finding is attributed to the first new module on its path.
    private func verify() async {
        send(PreflightEvent(kind: .begin, step: .verify))
        let screens = loaded.flatMap(\.generation.screens)
        let container = site.container
        guard let report = try? container.verify(screens: screens, infrastructure: { $0.infrastructure })
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
            self.report(finding.error, of: culprit)
        }
    }

    private func activate(_ module: PreflightRequest.Module, _ generation: Generation) async {
        report(.activate, module)
        // An error may be due to the empty scratch folder; in the host, it fails the change.
        try? await generation.instance.activate(ActivationContext(site.container, for: generation.scope))
    }

    // MARK: - Reporting

    private func report(_ step: PreflightEvent.Step, _ module: PreflightRequest.Module) {
        send(PreflightEvent(kind: .begin, module: module.name, step: step))
    }

    private func report(_ error: any Error, of module: PreflightRequest.Module) {
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
