@_spi(Host) import AtriumKit
import Testing

@testable import AtriumCommands
@testable import AtriumModules
@testable import AtriumText

private struct Login: Codable, Sendable {
    let email: String
    let password: String
}

private enum Size: String, CaseIterable, Codable, ArgumentValue { case small, large }

private protocol PriceService: Sendable {
    func price(_ id: Int, in currency: String?) async throws -> [String: Int]
    func size(_ size: Size) async throws -> Size
    func login(_ login: Login, token: String) async throws
    func each(_ body: @Sendable (Int) -> Void) async
    func count() -> Int
}

private struct MockPriceService: PriceService {
    func price(_ id: Int, in currency: String?) async throws -> [String: Int] { ["cents": id] }
    func size(_ size: Size) async throws -> Size { size }
    func login(_ login: Login, token: String) async throws { throw OutOfStock() }
    func each(_ body: @Sendable (Int) -> Void) async {}
    func count() -> Int { 3 }
}

/// As the build writes it.
private final class PriceServiceProxy: PriceService {
    private let service: any PriceService
    private let calls: ServiceCalls

    init(_ service: any PriceService, _ calls: ServiceCalls) { (self.service, self.calls) = (service, calls) }

    func price(_ id: Int, in currency: String?) async throws -> [String: Int] {
        guard calls.flag.isOn else { return try await service.price(id, in: currency) }
        return try await calls.perform("price(_:in:)", ["id": id, "currency": currency as Any]) {
            try await service.price(id, in: currency)
        }
    }
    func size(_ size: Size) async throws -> Size { try await service.size(size) }
    func login(_ login: Login, token: String) async throws {
        try await calls.perform("login(_:token:)", ["login": login, "token": token]) {
            try await service.login(login, token: token)
        }
    }
    func each(_ body: @Sendable (Int) -> Void) async { await service.each(body) }
    func count() -> Int {
        guard calls.flag.isOn else { return service.count() }
        return calls.perform("count()", [:]) { service.count() }
    }

    static let proxy = ServiceProxy((any PriceService).self) {
        [
            ServiceMethod(
                "price(_:in:)", [.init("id", Int.self), .init("currency", String?.self)], isAsync: true,
                canThrow: true),
            ServiceMethod("size(_:)", [.init("size", Size.self)], isAsync: true, canThrow: true),
            ServiceMethod(
                "login(_:token:)", [.init("login", Login.self), .init("token", String.self)], isAsync: true,
                canThrow: true),
            ServiceMethod("each(_:)", isAsync: true, obstacle: "it takes a closure"),
            ServiceMethod("count()"),
        ]
    } make: {
        PriceServiceProxy($0, $1)
    } call: { service, method, given in
        switch method {
        case 0: return try await service.price(given("id"), in: given("currency"))
        case 1: return try await service.size(given("size"))
        case 2: return try await service.login(given("login"), token: given("token"))
        default: return service.count()
        }
    }
}

private struct Stock: Sendable {}
private protocol OddService: Sendable {}
private struct MockOddService: OddService {}

@Suite("Commands 'tap', 'call' and 'fault'")
@MainActor
struct CallCommandTests {
    private let shop: TestHost
    private let lines: Lines

    @MainActor private final class Lines { var all: [String] = [] }

    init() throws {
        (shop, lines) = (try TestHost(), Lines())
        let odd = ServiceProxy("OddService", without: "it has associated types")
        try shop.add("Prices", proxies: [PriceServiceProxy.proxy, odd]) { registry in
            registry.service(
                (any PriceService).self, live: .unavailable, local: { _ in MockPriceService() },
                mock: { _ in MockPriceService() })
            registry.service(
                Stock.self, live: .unavailable, local: { _ in Stock() }, mock: { _ in Stock() })
            registry.service(
                (any OddService).self, live: .unavailable, local: { _ in MockOddService() },
                mock: { _ in MockOddService() })
        }
        shop.scene.announce = { [lines] in lines.all.append($0) }
    }

    private func service() throws -> any PriceService {
        try shop.host.runtime.container.value((any PriceService).self, .service)
    }

    /// The printed lines, without times.
    private var printed: [String] { lines.all.map { $0.replacing(/\d+\.\d\d ms/, with: "T ms") } }

    @Test("A tap prints each call with the command that caused it, and ends at its limit")
    func tap() async throws {
        _ = try await shop.output("tap priceservice.price --limit 2")
        _ = try await shop.output("call PriceService.price 7 --yes")
        _ = try await shop.output("call PriceService.count --yes")
        _ = try await service().price(8, in: "EUR")
        shop.scene.taps.deliver()
        _ = try await service().price(9, in: nil)
        shop.scene.taps.deliver()

        #expect(
            printed == [
                "By 'call PriceService.price 7 --yes', on 'home':",
                "  PriceService.price(id: 7, currency: nil) = ['cents': 7], T ms", "Not by a command:",
                "  PriceService.price(id: 8, currency: 'EUR') = ['cents': 8], T ms",
                "The tap of PriceService.price ended after 2 calls.",
            ])
        #expect(try await shop.json("tap").hasPrefix(#"{"rows":[]"#))
    }

    @Test("Secrets are shown neither as arguments nor as their members, and failures have their message")
    func secrets() async throws {
        _ = try await shop.output("tap PriceService --failing")
        _ = try await service().price(7, in: nil)
        try? await service().login(Login(email: "ada", password: "hunter2"), token: "t0ken")
        shop.scene.taps.deliver()

        #expect(
            printed.last
                == "  PriceService.login(login: Login(email: 'ada', password: (hidden)), token: (hidden)) "
                + "failed: \(OutOfStock().message), T ms")
        #expect(printed.count == 2)
    }

    @Test("What a tap can't take is counted, and no call waits for it")
    func storm() async throws {
        _ = try await shop.output("tap PriceService.count --limit 1000")
        let service = try service()
        for _ in 0..<1_000 { _ = service.count() }
        shop.scene.taps.deliver()

        #expect(printed.filter { $0.hasPrefix("  PriceService.count() = 3") }.count == 200)
        #expect(printed.suffix(2).first == "… 800 more calls of PriceService.count were too many to print.")
        #expect(printed.last == "The tap of PriceService.count ended after 1000 calls.")
    }

    @Test("A tap ends with its service and with its front end")
    func ends() async throws {
        _ = try await shop.output("tap PriceService")
        shop.scene.taps.settle { [] }

        #expect(printed == ["The tap of PriceService ended: no active module has the service."])
        _ = try await shop.output("tap PriceService")
        shop.scene.end()
        _ = try service().count()
        shop.scene.taps.deliver()
        #expect(printed.count == 1)
        #expect(
            shop.host.calls.calls(of: try #require(shop.host.runtime.container.services.first?.key)).flag.isOn
                == false)
    }

    @Test("'call' reads arguments by their types, and shows the result")
    func call() async throws {
        #expect(try await shop.json("call PriceService.price --id 7 --yes") == #"{"cents":7}"#)
        #expect(try await shop.json("call pricEservice.size large --yes") == #"{"value":"large"}"#)
        #expect(
            try await shop.failure(
                #"call PriceService.login '{"email":"a","password":"b"}' --token t --yes"#)?.code
                == OutOfStock().code)
    }

    @Test(
        "Mistakes are named, and nothing is done",
        arguments: [
            ("tap PriceServise", "There is no service 'PriceServise'.", "Did you mean 'PriceService'?"),
            (
                "tap PriceService.prize", "There is no method 'PriceService.prize'.",
                "Did you mean 'PriceService.price'?"
            ),
            (
                "tap Stock", "Stock can't be tapped, because it is registered as a type, not as a protocol.",
                nil
            ),
            ("tap OddService", "OddService can't be tapped, because it has associated types.", nil),
            ("tap PriceService --limit 0", "'limit' of 'tap' must be from 1 to 1000000, not 0.", nil),
            ("tap PriceService --end", "PriceService is not tapped.", "tap"),
            (
                "call PriceService.each --yes",
                "PriceService.each can't be called, because it takes a closure.", nil
            ),
            (
                "call PriceService.prize --id 7", "There is no method 'PriceService.prize'.",
                "Did you mean 'PriceService.price'?"
            ),
            (
                "call PriceService.price x", "'id' of 'PriceService.price' must be a whole number, not 'x'.",
                nil
            ),
            (
                "call --method PriceService.price --arguments '{\"id\": \"x\"}'",
                "'id' of 'PriceService.price' must be a whole number, not 'x'.", nil
            ),
            ("call PriceService --yes", "'call' needs a method of PriceService.", "call PriceService.price"),
            (
                "call PriceService.size huge --yes",
                "'size' of 'PriceService.size' must be one of small, large, not 'huge'.", nil
            ),
            (
                "call PriceService.price x --yes",
                "'id' of 'PriceService.price' must be a whole number, not 'x'.", nil
            ),
            (
                "call PriceService.price --yes", "'PriceService.price' needs a value for 'id'.",
                "Add --id followed by a whole number."
            ),
            (
                "call PriceService.login 7 --token t --yes",
                "'login' of 'PriceService.login' must be JSON of Login.", nil
            ),
            (
                "call PriceService.price 7",
                "'call PriceService.price' needs confirmation: PriceService.price may change anything. "
                    + "Continue?",
                nil
            ),
            ("fault PriceService", "'fault' needs what is to happen: an error, a delay or a rate.", nil),
            (
                "fault PriceService.count --error x",
                "PriceService.count can't be made to fail, because it throws no errors.", nil
            ),
            (
                "fault PriceService --error x --rate 2",
                "'rate' of 'fault' must be above 0 and at most 1, not 2.", nil
            ),
            ("fault PriceService --end", "PriceService has no fault.", "fault"),
        ] as [(String, String, String?)])
    func mistakes(_ line: String, _ message: String, _ hint: String?) async throws {
        let error = try await shop.failure(line)

        #expect(error?.message == message)
        if let hint { #expect(error?.hint == hint) }
        #expect(shop.scene.taps.all.isEmpty && shop.host.calls.faults.isEmpty)
    }

    @Test("JSON with a secret is kept out of the texts of commands")
    func json() async throws {
        let line = #"call PriceService.login '{"email":"a","password":"hunter2"}' --token t0ken"#
        let more = #"call PriceService.login --arguments='{"login": {"password":"hunter2"}}'"#

        for line in [line, more] {
            let text = try await shop.run(line).command
            #expect(text.contains("…") && !text.contains("hunter2") && !text.contains("t0ken"), "\(text)")
        }
    }

    @Test("A fault hits a share of the calls, evenly, until it is ended")
    func fault() async throws {
        _ = try await shop.output("fault PriceService.price --error soldOut --rate 0.5")
        var codes: [ErrorCode?] = []
        for id in 0..<4 {
            do {
                _ = try await service().price(id, in: nil)
                codes.append(nil)
            } catch { codes.append((error as? any ExplainedError)?.code) }
        }

        #expect(codes == [nil, "soldOut", nil, "soldOut"])
        #expect(try service().count() == 3)
        _ = try await shop.output("fault PriceService --end")
        #expect(try await service().price(1, in: nil) == ["cents": 1])
    }
}
