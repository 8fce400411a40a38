@_spi(Host) package import AtriumKit
internal import AtriumModules

/// All registrations of a host over separate mock services, and a session of their own.
@MainActor
package struct MockSandbox {
    /// The container; the owner must close it.
    package let container: Container
    package let mocks: MockDirector

    /// Creates a sandbox, with the scenario of each service.
    ///
    /// - Parameters:
    ///   - host: The host, which is not changed.
    ///   - user: The signed-in user; nil for a guest.
    ///   - isEmpty: True if mocks that can begin without data do.
    ///   - folder: A folder for the modules' own files; nil for none.
    ///   - scenario: The scenario of a service, by its name.
    package init(
        _ host: ShellHost, user: SessionUser?, isEmpty: Bool = false, files folder: String? = nil,
        _ scenario: (String) -> MockScenario.Kind
    ) {
        let session = SessionManager.isolated()
        if let user { SessionWriter(session).signIn(user, credential: SessionCredential(token: "sample")) }
        (container, mocks) = host.runtime.sandbox(session: session, files: folder, isEmpty: isEmpty)
        for service in container.graph.nodes where service.layer == .service {
            guard let module = service.module else { continue }
            mocks.choose(
                MockScenario(scenario(service.name)), for: .init(module: module, service: service.name))
        }
    }
}
