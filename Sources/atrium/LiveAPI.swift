@_spi(Host) import AtriumKit
import AtriumLibraries
import AtriumManifest
import AtriumModules
import AtriumNetworking
import AtriumPrompt
import AtriumStorage
internal import AtriumText
import Glibc

/// The servers' APIs in environment live.
///
/// Nothing is read, loaded or connected before the first request of a service.
@MainActor
final class LiveAPI {
    /// The client of services; fails every request if no server is configured.
    var client: any APIClient { manager ?? NoAPIClient(.noServer) }
    /// The same; nil if no server is configured.
    let manager: APIManager?

    /// The named APIs in use, with the conventions that a module declared.
    private var named: [String: (stated: APIConventions, manager: APIManager)] = [:]
    private let tracer = APITracer()
    private let settings: [String: HostConfiguration.API]
    private let make: (APIConfiguration, TokenFile) -> APIManager
    private let tokens: (_ file: String, APIConfiguration) -> TokenFile
    /// Records the requests of all APIs; nil for most hosts.
    private let recorder: HTTPRecorder?

    init(
        _ options: Options, _ file: ConfigurationFile, site: HostSite, data: DataFolder,
        _ runtime: ModuleRuntime, report: (any ExplainedError) -> Void
    ) throws {
        settings = file.apis
        let all = [file.api(authority: options.authority)] + file.apis.values
        for path in all.flatMap({ [$0.authority, $0.certificate, $0.key] }).compactMap(\.self)
        where ![nil, .file].contains(FileStatus(of: path)?.kind) {
            // Reading a pipe would block all requests.
            throw StorageError.notRegular(path)
        }
        let tokens: (String, APIConfiguration) -> TokenFile = { name, configuration in
            TokenFile(data.path("\(name).json"), server: configuration.base.text)
        }
        self.tokens = tokens
        let recorder = try HTTPRecorder(options, clock: site.clock)
        self.recorder = recorder
        let recording = try options.httpReplay.map { try HTTPRecording(reading: $0) }
        let make: (APIConfiguration, TokenFile) -> APIManager = {
            [weak runtime, tracer, log = site.log, clock = site.clock] configuration, tokens in
            var configuration = configuration
            configuration.allowsChanges = options.allowsServerChanges
            let replay = recording.map { HTTPReplay($0, of: configuration) }
            let transport: APIManager.TransportProvider = { [weak runtime, configuration] in
                if let replay { return replay }
                let transport = try await Self.transport(of: runtime)
                return recorder?.recording(transport, of: configuration) ?? transport
            }
            return APIManager(
                configuration: configuration, transport: transport, tokens: tokens,
                clock: clock, logger: Logger(module: "api", sink: log), tracer: tracer)
        }
        self.make = make
        let settings = file.api(authority: options.authority)
        guard let url = options.api ?? settings.url else {
            manager = nil
            return
        }
        let configuration = APIConfiguration(url, settings)
        if let missing = Self.missing(configuration, "api") {
            throw ConfigurationError(
                code: "variableMissing", message: missing.message, hint: missing.hint, cause: nil)
        }
        let kept = tokens("tokens-live", configuration)
        // A later failure to read the tokens would look like a sign-out.
        try kept.prepare(report: report)
        manager = make(configuration, kept)
    }

    /// The APIs as the commands about APIs see them.
    var forCommands: HostAPIs {
        HostAPIs(
            standard: manager, named: { [weak self] in self?.named.mapValues(\.manager) ?? [:] },
            tracer: tracer)
    }

    /// The client of a named API, which modules share; a later generation may declare other conventions.
    func client(_ name: String, _ conventions: APIConventions) -> any APIClient {
        if let known = named[name], known.stated == conventions { return known.manager }
        guard let settings = settings[name], let url = settings.url else {
            return NoAPIClient(.noServer(name))
        }
        let configuration = APIConfiguration(url, settings, conventions: conventions)
        if let missing = Self.missing(configuration, "apis.\(name)") { return NoAPIClient(missing) }
        let manager = make(configuration, tokens("tokens-live-\(name)", configuration))
        named[name] = (conventions, manager)
        return manager
    }

    /// The address of an API; nil if it has none.
    func server(of name: String) -> String? {
        name == Capability.api ? manager?.server : settings[name]?.url?.text
    }

    /// The error of a value that refers to a variable which the environment does not have.
    private static func missing(_ configuration: APIConfiguration, _ key: String) -> APIError? {
        configuration.conventions.missingVariables.first.map { member, variable in
            .requestFailed(
                "variableMissing",
                "The environment has no variable '\(variable)' for \(key).\(member) of modules.json.",
                hint: "Set it before the host is started.")
        }
    }

    private static func transport(of runtime: ModuleRuntime?) async throws -> any HTTPTransport {
        guard let runtime else { throw CancellationError() }
        return try await runtime.infrastructure((any HTTPTransport).self)
    }

    /// Writes what has been recorded.
    func finishRecording() throws { try recorder?.finish() }

    /// Makes the next request look up its transport again if infrastructure was replaced.
    func didExchange(_ change: ContainerChange) {
        guard change.changed.contains(where: { $0.layer == .infrastructure }) else { return }
        for manager in [manager].compactMap({ $0 }) + named.values.map(\.manager) {
            Task { await manager.transportDidChange() }
        }
    }
}

extension HTTPRecorder {
    /// The recorder that options ask for.
    fileprivate convenience init?(_ options: Options, clock: any WallClock) throws {
        guard let path = options.httpRecording else { return nil }
        // A file that is replaced has to be a recording too, or empty, such as one of mktemp.
        let isThere = FileStatus(of: path).map { $0.size > 0 } == true
        let earlier = isThere ? try HTTPRecording(reading: path, allowsEmpty: true) : nil
        try self.init(
            path, continuing: options.continuesRecording ? earlier : nil, version: HostVersion.current,
            clock: clock)
    }
}

extension HTTPRecording {
    fileprivate init(reading path: String, allowsEmpty: Bool = false) throws {
        try self.init(
            FileContents.read(path, limit: Self.limit), file: path, allowsEmpty: allowsEmpty)
    }
}
