import AtriumKit
import AtriumRuntime
import AtriumStorage

/// The server that has the data of environment local, and the engine for it, which a module provides.
final class DatabaseServer: Sendable {
    private let url: DatabaseURL
    private let runtime: @MainActor () -> ModuleRuntime?

    @MainActor init(_ url: DatabaseURL, _ runtime: ModuleRuntime) {
        self.url = url
        self.runtime = { [weak runtime] in runtime }
    }

    /// The tables of a module; the engine is loaded with their first use.
    func database(of module: String, _ migrations: [Migration]) -> ServerDatabase {
        ServerDatabase(isEngineLoaded: { await self.isEngineLoaded }) {
            try await self.engine().database(of: module, migrations: migrations, at: self.url.text)
        }
    }

    @MainActor private var isEngineLoaded: Bool {
        runtime()?.modules.contains { $0.name == url.engine && $0.state.isActive } == true
    }

    @MainActor private func engine() async throws -> any DatabaseEngine {
        guard let runtime = runtime() else { throw CancellationError() }
        return try await runtime.infrastructure((any DatabaseEngine).self)
    }
}
