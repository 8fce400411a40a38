@_spi(Host) import AtriumKit
import AtriumLibraries
import Testing

@testable import AtriumCommands
@testable import AtriumModules
@testable import AtriumPrompt
@testable import AtriumText

/// Retains view models that should be released with their screen.
@MainActor
private enum Attic {
    static var kept: [AnyObject] = []
}

private final class KeptViewModel: ViewModel {
    init() {
        Attic.kept.append(self)
    }
}

private struct KeptView: View {
    let viewModel: KeptViewModel
    var body: Content { Text("Kept.") }
}

private struct KeptPlace: Destination {
    static let pattern: LinkPattern = "kept"
}

@MainActor
private func host() throws -> TestHost {
    let shop = try TestHost()
    try shop.add("Kitchen", Kitchen.register)
    try shop.add("House") { registry in
        registry.viewModel(KeptViewModel.self) { _ in KeptViewModel() }
        registry.screen(KeptPlace.self) { KeptView(viewModel: try $0.viewModel()) }
    }
    return shop
}

/// Runs a script as the executable does.
@MainActor
private func runScript(_ script: String, isJSON: Bool = false) async throws {
    let shop = try host()
    let options = try Options(["--keep-going", "--no-color"] + (isJSON ? ["--json"] : []))
    let shell = HostShell(
        scene: shop.scene, options: options, source: .text(Array(script.utf8)), historyFile: "")
    _ = await shell.run()
}

// Output goes to the descriptors of the process, so each script runs in a process of its own.
@Suite("Traces and leaks in the shell")
@MainActor
struct TraceAndLeakTests {
    @Test("A trace has each build in the order of the starts, indented below the factory that waited for it")
    func trace() async throws {
        let shop = try host()
        var lines: [String] = []
        shop.scene.announce = { lines.append($0.replacing(#/in \d+ µs/#, with: "in N µs")) }

        #expect(try await shop.output("trace container on").content?.json == ["trace": "on"])
        _ = try await shop.output("menu")
        #expect(try await shop.output("trace container off").content?.json == ["trace": "off"])
        _ = try await shop.output("menu")

        #expect(
            lines == [
                "built menu (screen, Kitchen) in N µs",
                "  built MenuViewModel (view model, Kitchen) in N µs",
                "    built Menu (aggregate model, Kitchen) in N µs",
                "      built RecipeRepository (repository, Kitchen) in N µs",
                "        built Stove (service, Kitchen) in N µs",
            ])
    }

    @Test(
        "A missing subject, or a detail that the subject lacks, is an error and changes nothing",
        arguments: [
            ("trace --detail on", ErrorCode.missingArgument), ("trace container full", .invalidArgument),
        ])
    func wrongDetail(_ line: String, _ code: ErrorCode) async throws {
        let shop = try TestHost()

        #expect(try await shop.failure(line)?.code == code)
        #expect(!shop.host.runtime.container.isTraced)
    }

    @Test("A factory that throws is traced as failed; showing the state of the trace does not change it")
    func failed() async throws {
        let shop = try TestHost()
        try shop.add("Kitchen", Kitchen.registerUpperLayers)
        var lines: [String] = []
        shop.scene.announce = { lines.append(String($0.prefix { $0 != "(" })) }

        _ = try await shop.output("trace container on")
        _ = try await shop.output("trace container")
        _ = try await shop.failure("menu")

        #expect(
            lines.prefix(4) == [
                "failed menu ", "  failed MenuViewModel ", "    failed Menu ",
                "      failed RecipeRepository ",
            ])
        #expect(shop.host.runtime.container.isTraced)
    }

    @Test("An unknown command builds nothing")
    func mistyped() async throws {
        let shop = try host()
        var lines: [String] = []
        shop.scene.announce = { lines.append($0) }

        _ = try await shop.output("trace container on")
        _ = try await shop.failure("frobnicate")

        #expect(lines == [])
    }

    @Test("Verification is not traced")
    func verification() async throws {
        let shop = try host()
        var lines: [String] = []
        shop.scene.announce = { lines.append($0) }

        _ = try await shop.output("trace container on")
        _ = try await shop.failure("verify")

        #expect(lines == [])
    }

    @Test("'container' lists a view model that outlived its screen, as long as it is alive")
    func leaks() async throws {
        let shop = try host()
        _ = try await shop.output("open kept")
        #expect(try await shop.output("container").content?.json["outlived"] == nil)

        _ = try await shop.output("root")
        let leaking = try await shop.output("container").content?.json["outlived"]
        Attic.kept = []
        let after = try await shop.output("container").content?.json["outlived"]

        #expect(leaking == [["name": "KeptViewModel", "link": "kept"]])
        #expect(after == nil)
    }

    @Test("As text, builds and leaks go to standard error, each leak once, and results to standard output")
    func text() async throws {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            try await runScript("trace container on; open kept\nback; where; where")
        }

        let output = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
        let errors = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
            .replacing(#/in \d+ µs/#, with: "in N µs")
        #expect(output.contains("Trace  on\n\nKept.\n\nAtrium\n"), "\(output)")
        #expect(!output.contains("built "), "\(output)")
        #expect(
            errors.contains(
                """
                built kept (screen, House) in N µs
                  built KeptViewModel (view model, House) in N µs
                warning: KeptViewModel outlived its screen 'kept'.

                """), "\(errors)")
        #expect(errors.split(separator: "warning:").count == 2, "\(errors)")
    }

    @Test("As JSON, standard output has the results only")
    func json() async throws {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            try await runScript("trace container on; open kept; back", isJSON: true)
        }

        let output = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
        let errors = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(
            output.contains(
                #"""
                {"command":"trace container on","ok":true,"result":{"trace":"on"}}
                {"command":"open kept","ok":true,"result":{"text":["Kept."],"link":"kept"}}
                {"command":"back","ok":true,
                """#), "\(output)")
        #expect(errors.contains("warning: KeptViewModel outlived its screen 'kept'.\n"), "\(errors)")
    }
}
