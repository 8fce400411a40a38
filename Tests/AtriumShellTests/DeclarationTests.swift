@_spi(Host) import AtriumKit
import AtriumNavigation
import Foundation
import Testing

@testable import AtriumCommands
@testable import AtriumLanguage
@testable import AtriumLineEditor
@testable import AtriumText

// A guarded screen with a service that has a real and a mock implementation.

private protocol Safe: Sendable {}
private struct MockSafe: Safe {}
private struct RealSafe: Safe {}

private struct Vault: Destination {
    static let pattern: LinkPattern = "vault"
    static let guards: [GuardName] = ["keeper"]
}

private final class VaultRepository {
    init(safe: any Safe) {}
}

private final class VaultViewModel: ViewModel {
    init(repository: VaultRepository) {}
}

private struct VaultView: View {
    let viewModel: VaultViewModel

    var body: Content { Title("Vault") }

    var actions: [Action] {
        Action("unlock", "Open the safe", Argument<String>("code", isSecret: true)) { _ in .updated }
        Action("burn", "Destroy all", effect: .destroys) { .updated }
    }
}

@Suite("Declarations in completion, history and help")
@MainActor
struct DeclarationTests {
    private let shop: TestHost
    private let log = ShopLog()

    init() throws {
        shop = try TestHost(environment: .local)
        try shop.add("Bank") { [log] registry in
            registry.service(
                (any Safe).self, live: .unavailable,
                local: { _ in
                    log.lines.append("real safe")
                    return RealSafe()
                }, mock: { _ in MockSafe() })
            registry.contribute(to: .guards) { _ in
                NavigationGuard("keeper", "Somebody keeps the keys") { _ in
                    log.lines.append("keeper?")
                    return .deny("Keepers only.")
                }
            }
            registry.repository(VaultRepository.self) { VaultRepository(safe: try $0.service()) }
            registry.viewModel(VaultViewModel.self) { VaultViewModel(repository: try $0.repository()) }
            registry.screen(Vault.self) { VaultView(viewModel: try $0.viewModel()) }
        }
    }

    @Test("Completion, history and help neither build a guarded screen nor call its guard")
    func nothingIsBuilt() async throws {
        let line = "vault "
        let list = Completer(interpreter: shop.interpreter).completions(of: line, at: line.utf8.count)
        #expect(list.candidates.map(\.text) == ["unlock", "burn"])
        let command = try #require(try Lexer.commands(in: "vault unlock 1234").first)
        #expect(shop.interpreter.declaredText(of: command, marksSecrets: false) == "vault unlock")
        #expect(try await shop.output("help vault").content?.json["module"] == "Bank")

        #expect(log.lines.isEmpty)
    }

    @Test("A command calls the guard once, and builds nothing if the guard refuses")
    func refused() async throws {
        let error = try await shop.failure("vault unlock 1234")

        #expect(error.map(ExitStatus.init) == .refused)
        #expect(log.lines == ["keeper?"])
        #expect(try await shop.run("vault unlock 1234").command == "vault unlock --code …")
    }

    @Test("'help', and 'help' about each subject but modules, fit 80 columns and 24 rows")
    func helpFits() async throws {
        let renderer = TextRenderer(width: 80, style: TextStyle(isColored: false))
        for topic in [""] + HostCommands.Subject.allCases.map(\.rawValue) where topic != "modules" {
            let content = try #require(try await shop.output("help \(topic)").content)
            let lines = renderer.render(content).split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count <= 24, "\(topic)")
        }
    }

    @Test("The page of the shell names every command")
    func page() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(
            contentsOf: root.deletingLastPathComponent().appending(path: "Docs/shell.md"), encoding: .utf8)
        for command in HostCommands(scene: shop.scene).actions {
            let first = command.name.prefix { $0 != " " }
            #expect(page.contains("`\(first)`") || page.contains("`\(first) "), "\(command.name)")
        }
    }

    @Test("Unknown names are not stored")
    func unknownNames() async throws {
        for number in 0..<200 { _ = try await shop.run("nothing\(number)") }

        let sizes = Mirror(reflecting: shop.interpreter).children.map {
            Mirror(reflecting: $0.value).children.count
        }
        #expect(sizes.allSatisfy { $0 < 100 })
    }
}
