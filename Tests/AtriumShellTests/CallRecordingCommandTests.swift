@_spi(Host) import AtriumKit
import Glibc
import TestSupport
import Testing

@testable import AtriumCommands
@testable import AtriumModules
@testable import AtriumNetworking
@testable import AtriumText

private protocol StockService: Sendable {
    func stock(of name: String) async throws -> Int
    func each(_ body: @Sendable (Int) -> Void) async
}

private actor CountingStockService: StockService {
    private var calls = 0

    func stock(of name: String) async throws -> Int {
        calls += 1
        if name == "Ink" { throw OutOfStock() }
        return calls
    }
    func each(_ body: @Sendable (Int) -> Void) async {}
}

/// As the build writes it.
private final class StockServiceProxy: StockService {
    private let service: any StockService
    private let calls: ServiceCalls

    init(_ service: any StockService, _ calls: ServiceCalls) { (self.service, self.calls) = (service, calls) }

    func stock(of name: String) async throws -> Int {
        guard calls.flag.isOn else { return try await service.stock(of: name) }
        return try await calls.perform("stock(of:)", ["name": name]) { try await service.stock(of: name) }
    }
    func each(_ body: @Sendable (Int) -> Void) async {
        guard calls.flag.isOn else { return await service.each(body) }
        return await calls.perform("each(_:)", [:]) { await service.each(body) }
    }

    static let proxy = ServiceProxy((any StockService).self) {
        [
            ServiceMethod("stock(of:)", [.init("name", String.self)], isAsync: true, canThrow: true),
            ServiceMethod("each(_:)", isAsync: true, obstacle: "it takes a closure"),
        ]
    } make: {
        StockServiceProxy($0, $1)
    } call: { service, _, given in
        try await service.stock(of: given("name"))
    }
}

private struct Rack: Sendable {}

@Suite("Commands 'mock record' and 'mock play'")
@MainActor
struct CallRecordingCommandTests {
    private let shop: TestHost
    private let folder = TemporaryFolder()
    private var file: String { folder.path("demo") }

    init() throws {
        shop = try TestHost(environment: .local)
        try shop.add("Stocks", proxies: [StockServiceProxy.proxy]) { registry in
            registry.service(
                (any StockService).self, live: .unavailable, local: { _ in CountingStockService() },
                mock: { _ in CountingStockService() })
            registry.service(Rack.self, live: .unavailable, local: { _ in Rack() }, mock: { _ in Rack() })
        }
    }

    private func service() throws -> any StockService {
        try shop.host.runtime.container.value((any StockService).self, .service)
    }

    /// Records two calls that succeed and one that fails.
    private func record() async throws {
        _ = try await shop.output("mock record \(file)")
        for name in ["Pen", "Pen", "Ink"] { _ = try? await service().stock(of: name) }
        await (try service()).each { _ in }
        _ = try await shop.output("mock record --stop")
    }

    @Test("Calls are recorded in every environment, and answered later in their order")
    func story() async throws {
        #expect(try await shop.json("mock record").contains("No calls are being recorded."))
        let begun = try await shop.output("mock record \(file) --service stockservice").message
        for name in ["Pen", "Pen", "Ink"] { _ = try? await service().stock(of: name) }
        await (try service()).each { _ in }

        #expect(begun == "Recording the calls of 1 service to '\(file)'; 'mock record --stop' ends it.")
        #expect(try await shop.failure("mock record \(file)")?.code == "isRecording")
        #expect(try await shop.failure("mock play \(file)")?.hint == "mock record --stop")
        #expect(
            try await shop.json("mock record --stop")
                == #"{"file":"\#(file)","calls":3,"notRecorded":[{"method":"StockService.each","#
                + #""reason":"it takes a closure"}]}"#)
        _ = try await service().stock(of: "Pen")

        let played = try await shop.output("mock play \(file)").message
        #expect(played == "Answering calls from '\(file)'; 'mock play --stop' ends it.")
        #expect(try await shop.failure("mock record \(file)")?.code == "isPlaying")
        #expect(try await service().stock(of: "Pen") == 1)
        #expect(try await service().stock(of: "Pen") == 2)
        let error = await #expect(throws: ServiceError.self) { try await service().stock(of: "Ink") }
        #expect(error?.code == OutOfStock().code && error?.message == OutOfStock().message)
        #expect(
            try await shop.failure("call StockService.stock Pencil --yes")?.hint
                == #"The nearest recorded call is StockService.stock(name: "Pen")."#)
        #expect(
            try await shop.json("mock play")
                == #"{"rows":[{"service":"StockService","module":"Stocks","recorded":3,"answered":3,"passed":0}]}"#
        )
        _ = try await shop.output("mock play \(file)")
        #expect(try await service().stock(of: "Pen") == 1)
        _ = try await shop.output("mock play --stop")
        #expect(try await service().stock(of: "Pen") == 5)
    }

    @Test("A recording of another version is played as far as it fits, and says what does not")
    func versions() async throws {
        try await record()
        var lines = String(decoding: contents(file), as: UTF8.self).split(separator: "\n").map(String.init)
        lines[0] = lines[0].replacing(#""modules":{}"#, with: #""modules":{"Shop":"1.0.0"}"#)
        lines[2] = lines[2].replacing("StockService", with: "OtherService")
        lines[3] = lines[3].replacing("stock(of:)", with: "gone(of:)")
        folder.write(lines.joined(separator: "\n").utf8, to: "demo")
        let others = lines.map { $0.replacing("StockService", with: "OtherService") }
        folder.write(others.joined(separator: "\n").utf8, to: "others")

        let notices = try await shop.json("mock play \(file)")

        for text in [
            "There is no method StockService.gone any more.",
            "It was recorded with Shop 1.0.0; this is 1.2.3.",
            "No active module has OtherService, with 1 call.",
        ] { #expect(notices.contains(text), "\(notices)") }
        #expect(try await service().stock(of: "Pen") == 1)
        let error = try await shop.failure("mock play \(folder.path("others"))")
        #expect(error?.message.contains("can be answered. No active module has OtherService") == true)
        #expect(shop.host.callReplay?.file == file)
    }

    @Test(
        "Mistakes are named, and nothing is done",
        arguments: [
            ("mock record --stop", "No calls are being recorded.", "mock record FILE"),
            ("mock play --stop", "No recording is being played.", "mock play FILE"),
            ("mock record --service StockService", "'mock record' needs a file.", nil),
            ("mock record FILE --service StokService", "There is no service 'StokService'.", nil),
            (
                "mock record FILE --service Rack",
                "Rack can't be recorded, because it is registered as a type, not as a protocol.", nil
            ),
            (
                "mock record FILE --service StockService.stock",
                "'service' of 'mock' must be a service, not a method.", nil
            ),
            ("mock record NOTES", "'NOTES' is not a recording of calls: it does not begin with", nil),
            ("mock play NOTES", "'NOTES' is not a recording of calls: it is not JSON at", nil),
            ("mock play GONE", "The file 'GONE' can't be read: No such file or directory.", nil),
            ("mock record NO/FILE", "The file 'NO/FILE' can't be written", nil),
            ("mock --stop", "'mock' takes no 'stop'.", "help mock"),
            ("mock --service StockService", "'mock' takes no 'service'.", "help mock"),
            ("mock record FILE --reset", "'mock record' takes no 'reset'.", "help mock"),
            ("mock record FILE --stop", "'mock record --stop' takes no 'file'.", "help mock"),
            ("mock play FILE --service StockService", "'mock play' takes no 'service'.", "help mock"),
            ("mock recrd FILE", "'step' of 'mock' must be one of record, play, not 'recrd'.", nil),
        ] as [(String, String, String?)])
    func mistakes(_ line: String, _ message: String, _ hint: String?) async throws {
        let names = ["FILE", "NOTES", "GONE", "NO/FILE"]
        folder.write("my notes".utf8, to: "NOTES")
        func full(_ text: String) -> String {
            text.split(separator: " ", omittingEmptySubsequences: false).map { part in
                let (word, name) = (String(part), part.filter { $0 != "'" })
                return names.contains(name) ? word.replacing(name, with: folder.path(name)) : word
            }.joined(separator: " ")
        }

        let error = try await shop.failure(full(line))

        #expect(error?.message.hasPrefix(full(message)) == true, "\(error?.message ?? "")")
        if let hint { #expect(error?.hint == hint) }
        #expect(shop.host.callRecorder == nil && shop.host.callReplay == nil)
        #expect(contents(folder.path("NOTES")) == Array("my notes".utf8))
        #expect(!folder.names().contains("FILE"))
    }

    @Test("A recording is not played in environment live, where a call without an answer changes real data")
    func live() async throws {
        try await record()
        let live = try TestHost(environment: .live)

        let error = try await live.failure("mock play \(file)")

        #expect(error?.code == "wrongEnvironment" && error?.hint == "atrium --env mock")
        #expect(live.host.callReplay == nil)
    }

    @Test("A recording whose file can't be written at the end goes on, and is written later")
    func unwritable() async throws {
        mkdir(folder.path("a"), 0o700)
        _ = try await shop.output("mock record \(folder.path("a/demo"))")
        _ = try await service().stock(of: "Pen")
        unlink(folder.path("a/demo"))
        rmdir(folder.path("a"))

        let error = try await shop.failure("mock record --stop")

        #expect(error?.code == "fileUnwritable" && shop.host.callRecorder?.calls == 1)
        mkdir(folder.path("a"), 0o700)
        _ = try await shop.output("mock record --stop")
        #expect(String(decoding: contents(folder.path("a/demo")), as: UTF8.self).contains("Pen"))
    }
}
