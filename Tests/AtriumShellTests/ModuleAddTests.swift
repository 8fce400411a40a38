@_spi(Host) import AtriumKit
import AtriumModules
import AtriumRepositories
import Glibc
import TestSupport
import Testing

@testable import AtriumCommands

@Suite("Command 'module add'")
@MainActor
struct ModuleAddTests {
    @Test(
        "An invalid version is refused before anything else",
        arguments: [
            "Shop@x", "Shop@X", "Shop@x.X", "Shop@^x.*", "Shop@", "Shop@one", "Shop@1.2.3.4", "Nothing@x",
        ])
    func badVersion(_ typed: String) async throws {
        let shop = try TestHost()

        #expect(try await shop.failure("module add \(typed)")?.code == .invalidArgument)
        #expect(try await shop.failure("module add \(typed) --plan")?.code == .invalidArgument)
    }

    @Test("A file does not replace a module that an unreadable repository may have")
    func unreadableRepository() async throws {
        let folder = TemporaryFolder()
        folder.write([], to: "Package.swift")
        symlink(".", folder.path("Notes"))
        folder.write([], to: "Lists")
        let shop = try TestHost(repositories: Repositories(folders: [folder.path("none")]))
        shop.scene.folder = folder.path

        let error = try await shop.failure("module add Notes")

        #expect(error?.code == "repositoryMissing")
        #expect(error?.hint == "To add the local module: module add ./Notes")
        let other = try await shop.failure("module add Lists")
        #expect(other?.code == "repositoryMissing")
        #expect(other?.hint?.contains("module add") != true)
        #expect(try await shop.failure("module add ./Lists")?.code != "repositoryMissing")
        #expect(try await shop.failure("module add Other")?.code == .notFound)
    }

    @Test("Several modules from repositories are refused before any word is read as a path")
    func several() async throws {
        let folder = TemporaryFolder()
        let shop = try TestHost(repositories: Repositories(folders: [folder.path]))

        #expect(try await shop.failure("module add Shop@1 Notes@1")?.code == .invalidArgument)
    }
}
