@_spi(Host) import AtriumKit
import AtriumModules
import TestSupport
import Testing

@testable import AtriumCommands

@Suite("Command 'module add'")
@MainActor
struct ModuleAddTests {
    @Test(
        "A version that is none is refused before anything else",
        arguments: ["Shop@x", "Shop@X", "Shop@", "Shop@one", "Shop@1.2.3.4", "Nothing@x"])
    func badVersion(_ typed: String) async throws {
        let shop = try TestHost()

        #expect(try await shop.failure("module add \(typed)")?.code == .invalidArgument)
        #expect(try await shop.failure("module add \(typed) --plan")?.code == .invalidArgument)
    }

    @Test("A file is not taken for a module that an unreadable repository may have")
    func unreadableRepository() async throws {
        let folder = TemporaryFolder()
        folder.write([], to: "Notes")
        let shop = try TestHost(repositories: Repositories(folders: [folder.path("none")]))
        shop.scene.folder = folder.path

        let error = try await shop.failure("module add Notes")

        #expect(error?.code == "repositoryMissing")
        #expect(error?.hint == "For the file: module add ./Notes")
        #expect(try await shop.failure("module add ./Notes")?.code != "repositoryMissing")
        #expect(try await shop.failure("module add Other")?.code == .notFound)
    }
}
