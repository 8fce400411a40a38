@_spi(Host) import AtriumKit
import TestSupport
import Testing

@testable import AtriumNetworking

@Suite("Recordings of calls answer them later, and hold no secret")
struct CallRecordingTests {
    private static let key = MockDirector.Key(module: "Prices", service: "PriceService")
    private let folder = TemporaryFolder()
    private let monitor = CallMonitor()
    private var calls: ServiceCalls { monitor.calls(of: Self.key) }
    private var path: String { folder.path("demo") }

    /// Records calls; returns the text of the file.
    private func record(limit: Int? = nil, _ make: () async throws -> Void) async throws -> String {
        let recorder = try CallFileRecorder(path, modules: ["Prices": "1.0.0"], version: "1", limit: limit)
        monitor.use(.recording(recorder))
        try? await make()
        monitor.use(nil)
        try recorder.finish()
        return String(decoding: contents(path), as: UTF8.self)
    }

    @discardableResult
    private func play(_ text: String) throws -> CallReplay {
        let play = CallReplay(try CallRecording(Array(text.utf8), file: "demo"))
        monitor.use(.playing(play), for: Set(play.services.map(\.key)))
        return play
    }

    /// Makes a call as a proxy does.
    private func call<Value>(
        _ method: String = "price(_:)", _ arguments: KeyValuePairs<String, Any> = ["id": 1],
        _ body: () async throws -> Value
    ) async throws -> Value {
        try await calls.perform(method, arguments) { try await body() }
    }

    private func message<Value>(_ call: () async throws -> Value) async -> String {
        do {
            return "\(try await call())"
        } catch {
            let error = error as? any ExplainedError
            return "\(error?.message ?? "?") \(error?.hint ?? "")"
        }
    }

    // MARK: - Results

    private func isRestored<Value: Equatable>(_ value: Value) async throws -> Bool {
        try play(try await record { _ = try await call { value } })
        return try await call { () throws -> Value in throw Unanswered() } == value
    }

    @Test("Results come back as they were, whatever their type")
    func results() async throws {
        let (pen, ink) = (Product(id: 1, name: "Pen"), Product(id: 2, name: "Ink", color: "blue"))

        #expect(try await isRestored(3))
        #expect(try await isRestored(Int?.none))
        #expect(try await isRestored(["a": [1.5, -2]]))
        #expect(try await isRestored(Timestamp(microseconds: 1_700_000_000_123_456)))
        #expect(try await isRestored(Receipt.refused("sold out")))
        #expect(try await isRestored(Receipt.accepted(number: 3)))
        #expect(try await isRestored(pen))
        #expect(try await isRestored(Product?.some(ink)))
        #expect(try await isRestored([pen, ink]))
        #expect(try await isRestored(RecordPage(rows: [ink], total: 7)))
        #expect(try await isRestored(RecordPage(rows: [pen], atLeast: 7)))
        #expect(try await isRestored(RecordValues(rows: [RecordFieldValue(name: "x", count: 2)], total: 1)))
        try play(try await record { try await call("ping()", [:]) {} })
        try await call("ping()", [:]) { throw Unanswered() }
    }

    @Test("Equal calls get their answers in order, and then the last one again")
    func order() async throws {
        let text = try await record {
            for (id, price) in [(1, 10), (2, 20), (1, 11)] {
                _ = try await call("price(_:)", ["id": id]) { price }
            }
        }
        let play = try play(text)

        var prices: [Int] = []
        for id in [1, 1, 2, 1] { prices.append(try await call("price(_:)", ["id": id]) { 0 }) }
        #expect(prices == [10, 11, 20, 11])
        #expect(play.services.map(\.answered) == [4] && play.services.map(\.recorded) == [3])
    }

    @Test("Arguments are equal by their values: a set in any order, a record without its secrets")
    func arguments() async throws {
        let (set, other) = (Set(0..<50), Set((0..<50).reversed()))
        try play(try await record { _ = try await call("of(_:)", ["ids": set]) { 1 } })
        #expect(try await call("of(_:)", ["ids": other]) { 0 } == 1)

        var (query, changes) = (RecordQuery<Product>(), RecordChanges<Product>())
        query.search = "pen"
        try changes.set("name", to: "Ink")
        let given: KeyValuePairs<String, Any> = [
            "query": query, "last": Product?.none as Any, "changes": changes,
            "product": Product(id: 1, name: "Pen", pin: "1234"),
        ]
        let text = try await record { _ = try await call("page(_:after:_:_:)", given) { 1 } }
        try play(text)
        #expect(try await call("page(_:after:_:_:)", given) { 0 } == 1)
        #expect(!text.contains("1234"))
    }

    // MARK: - Errors

    @Test("Errors are of the same kind, with the errors below them")
    func errors() async throws {
        let offline = APIError(.timedOut, "No answer.", hint: "api", status: 503).settled(.unknown)
        let service = ServiceError(
            .notFound, "There is no pen.", hint: "pens", category: .refused, cause: offline)
        let invalid = ValidationError(
            "badFile", findings: [ValidationFinding("Too long.", field: "name", line: 3, column: 1)],
            hint: "x")
        let all: [any Error] = [service, invalid, offline, SoldOut()]
        let text = try await record {
            for (id, error) in all.enumerated() {
                _ = try? await call("price(_:)", ["id": id]) { () throws -> Int in throw error }
            }
        }
        try play(text)

        var found: [any Error] = []
        for id in all.indices {
            do { _ = try await call("price(_:)", ["id": id]) { 0 } } catch { found.append(error) }
        }
        #expect(found[0] as? ServiceError == service && found[0].isOffline && found[0].answerWasLost)
        #expect(found[1] as? ValidationError == invalid)
        #expect((found[2] as? APIError)?.status == 503)
        #expect(found[3] as? ServiceError == ServiceError("soldOut", SoldOut().message))
    }

    @Test("A declared type of errors that is Codable comes back")
    func typedErrors() async throws {
        func price(_ body: () throws(Refusal) -> Int) throws(Refusal) -> Int {
            try calls.perform("price()", [:], body)
        }
        let text = try await record { _ = try price { () throws(Refusal) in throw .tooLate(3) } }
        try play(text)

        #expect(throws: Refusal.tooLate(3)) { try price { 0 } }
    }

    // MARK: - Secrets

    @Test("Secrets are hidden by their names and by declaration, and a call with another one is equal")
    func secrets() async throws {
        let grant = Grant(
            user: "ada", credential: SessionCredential(token: "t0ken-1"), card: Card("4242", "Ada"))
        func signIn(_ password: String, _ pin: String) -> KeyValuePairs<String, Any> {
            ["email": "ada", "password": password, "product": Product(id: 1, name: "Pen", pin: pin)]
        }
        let text = try await record {
            _ = try await call("signIn(_:_:_:)", signIn("hunter-2", "98765")) { grant }
            _ = try await call("accessToken()", [:]) { "t0ken-1" }
            _ = try await call("note(_:)", ["text": "it was hunter-2"]) { () throws -> Int in throw SoldOut()
            }
        }
        let play = try play(text)

        for secret in ["hunter-2", "98765", "t0ken-1", "4242"] {
            #expect(!text.contains(secret), "\(secret)")
        }
        let played = try await call("signIn(_:_:_:)", signIn("other", "1")) { grant }
        #expect(played.user == "ada" && played.card == Card("(hidden)", "Ada"))
        #expect(try await call("accessToken()", [:]) { "" } == played.credential.token)
        #expect(play.services.map(\.answered) == [2])
    }

    @Test("Secrets by declaration are hidden in every form that Codable gives to values")
    func declared() async throws {
        let item = Item(id: 1, name: "Pen", iban: "DE02 1203", verificationToken: "4821")
        let card = Card("4242 0003", "Ada")
        let values: [any Codable & Sendable] = [
            Lookup.found(item), Lookup.both(item, with: item), Lookup.none, Set([item]), ["a": item],
            [1: [item]], [Key.first: item], [Point(x: 1): item], [item], [Lookup.found(item)], card,
            Wrapping(stored: item), Numbered(card: card, digits: 4821), ["a": [Point(x: 1): Set([item])]],
        ]
        let recorder = try CallFileRecorder(path, modules: [:], version: "1")
        monitor.use(.recording(recorder))
        for value in values { try await record("value()", value) }
        monitor.use(nil)
        try recorder.finish()
        let text = String(decoding: contents(path), as: UTF8.self)

        #expect(recorder.skipped.isEmpty && recorder.calls == values.count)
        for secret in ["DE02", "4821", "4242"] { #expect(!text.contains(secret), "\(secret)") }
        #expect(text.contains(#"{"found":{"_0":{"iban":"(hidden)","id":1,"name":"Pen""#))
        try play(text)
        let played = try await call("value()", [:]) { () throws -> Lookup in throw Unanswered() }
        #expect(played == .found(Item(id: 1, name: "Pen", iban: "(hidden)", verificationToken: "(hidden)")))
    }

    @Test("A value whose secrets can't be found in its JSON is not recorded")
    func unmatched() async throws {
        let item = Item(id: 1, name: "Pen", iban: "DE02 1203")
        let recorder = try CallFileRecorder(path, modules: [:], version: "1")
        monitor.use(.recording(recorder))
        try await record("renamed()", Renamed(item: item))
        try await record("renamedCase()", RenamedCase.found(item))
        try await record("renamedField()", Holder(value: Account(number: "DE02 1203")))
        try await record("flat()", Flat(item: item))
        try await record("text()", Digits(text: "4242"))
        try await record("object()", [Object(iban: "DE02 1203")])
        _ = try await call("put(_:)", ["flat": [Flat(item: item)]]) { 1 }
        try recorder.finish()

        let found = "may have secrets that can't be found in its JSON:"
        #expect(
            recorder.skipped.map { "\($0.target) \($0.reason)" } == [
                "PriceService.renamed a result of it \(found) Renamed",
                "PriceService.renamedCase a result of it \(found) RenamedCase",
                "PriceService.renamedField a result of it \(found) Holder<Account>",
                "PriceService.flat a result of it \(found) Flat",
                "PriceService.text a result of it \(found) Digits",
                "PriceService.object a result of it \(found) Array<Object>",
                "PriceService.put 'flat' \(found) Array<Flat>",
            ])
        #expect(recorder.calls == 0 && !String(decoding: contents(path), as: UTF8.self).contains("DE02"))
    }

    private func record<Value: Codable & Sendable>(_ method: String, _ value: Value) async throws {
        _ = try await call(method, [:]) { value }
    }

    // MARK: - What can't be recorded or answered

    @Test("What can't be recorded is named with the reason, and the service answers it")
    func skipped() async throws {
        let recorder = try CallFileRecorder(path, modules: [:], version: "1")
        monitor.use(.recording(recorder))
        #expect(try await call("each(_:)", [:]) { 1 } == 1)
        _ = try await call("swap(_:)", ["&count": 1]) { 1 }
        _ = try await call("box()", [:]) { Box() }
        _ = try await call("put(_:)", ["box": Box()]) { 1 }
        _ = try await call("ratio()", [:]) { Double.nan }
        _ = calls.perform("throwing()", [:]) { 1 }
        _ = try? await call("wait()", [:]) { () throws -> Int in throw CancellationError() }
        _ = try? calls.perform("odd()", [:]) { () throws(Odd) -> Int in throw Odd() }

        #expect(
            recorder.skipped.map { "\($0.target) \($0.reason)" } == [
                "PriceService.each it takes a closure", "PriceService.swap it changes its arguments",
                "PriceService.box Box is not Codable", "PriceService.put 'box' can't be encoded: Box",
                "PriceService.ratio a result of it can't be encoded: Double",
                "PriceService.odd Odd is not Codable",
            ])
        #expect(recorder.calls == 1)
    }

    @Test("A call without an answer fails with the nearest one; one that can't fail reaches the service")
    func unknown() async throws {
        let text = try await record {
            for id in [1, 2_000] { _ = try await call("price(_:)", ["id": id]) { id } }
            _ = try await call("stock(_:)", ["id": 2_001]) { 0 }
        }
        let play = try play(text)

        #expect(
            await message { try await call("price(_:)", ["id": 2_001]) { 3 } }
                == "'demo' has no answer to PriceService.price(id: 2001). "
                + "The nearest recorded call is PriceService.price(id: 2000).")
        #expect(calls.perform("count()", [:]) { 7 } == 7)
        #expect(calls.perform("box()", [:]) { Box() as Box? } != nil)
        #expect(play.services.map(\.passed) == [2])
        #expect(
            await message { try await call("price(_:)", ["id": 1]) { "text" } }.hasPrefix(
                "An answer to PriceService.price in 'demo' does not fit: "))
        // Other services are not played.
        let other = monitor.calls(of: MockDirector.Key(module: "Prices", service: "OtherService"))
        #expect(other.flag.isOn == false && calls.flag.isOn)
    }

    @Test("A full recording keeps what it has, and says so")
    func full() async throws {
        let recorder = try CallFileRecorder(path, modules: [:], version: "1", limit: 10)
        monitor.use(.recording(recorder))
        _ = try await call { 1 }

        #expect(recorder.calls == 0 && recorder.skipped.map(\.reason) == ["the recording is full"])
    }

    @Test("The file is whole while it is recorded, and one that can't be written fails at once")
    func whole() async throws {
        let recorder = try CallFileRecorder(path, modules: [:], version: "1")

        try CallRecording.check(start: Array(contents(path).prefix(64)), file: "demo")
        #expect(String(decoding: contents(path), as: UTF8.self).contains(#""calls":["#))
        #expect(throws: FileError.self) {
            try CallFileRecorder(folder.path("no/demo"), modules: [:], version: "1")
        }
        #expect(recorder.calls == 0)
    }

    @Test(
        "A damaged recording is named with the place",
        arguments: [
            ("", "'demo' is not a recording of calls: it is empty."),
            ("{\"format\":\n ]", "'demo' is not a recording of calls: it is not JSON at line 2, column 2."),
            ("[]", "'demo' is not a recording of calls: it has no members 'format' and 'calls'."),
            (
                #"{"format": "atrium-calls-2", "calls": []}"#,
                "'demo' is not a recording of calls: its format is 'atrium-calls-2', not 'atrium-calls-1'."
            ),
            (
                #"{"format": "atrium-calls-1", "calls": [{"module": "A", "service": "B", "method": "c()"}]}"#,
                "'demo' is not a recording of calls: call 1 has no service, method, arguments or result."
            ),
            (#"{"format": "atrium-calls-1", "calls": []}"#, "The recording 'demo' has no calls."),
        ])
    func damaged(text: String, message: String) {
        let error = #expect(throws: RecordingError.self) {
            try CallRecording(Array(text.utf8), file: "demo")
        }
        #expect(error?.message == message)
    }
}

private struct Unanswered: Error {}
private struct Odd: Error {}
private final class Box: Sendable {}

private struct SoldOut: ExplainedError {
    let code: ErrorCode = "soldOut"
    let message = "It is sold out."
}

private enum Refusal: Error, Codable, Equatable { case tooLate(Int) }

private enum Receipt: Codable, Equatable {
    case accepted(number: Int)
    case refused(String?)
}

private struct Product: Record {
    var id = 0
    var name = ""
    var color: String?
    var pin = ""

    static let fields: Fields<Product> = [
        RecordField("name", "Its name", \.name, .searched), RecordField("color", "Its color", \.color),
        RecordField("pin", "Its pin", \.pin, .secret),
    ]
}

private struct Grant: Codable, Equatable {
    let user: String
    let credential: SessionCredential
    let card: Card
}

/// A type that leaves a member out of its mirror.
private struct Card: Codable, Equatable, CustomReflectable {
    let number: String
    let owner: String

    init(_ number: String, _ owner: String) { (self.number, self.owner) = (number, owner) }

    var customMirror: Mirror { Mirror(self, children: ["owner": owner]) }
}

/// A record that is `Codable` too, so other types may have it in their JSON.
private struct Item: Record, Codable {
    var id = 0
    var name = ""
    var iban = ""
    var verificationToken = ""

    static let fields: Fields<Item> = [
        RecordField("name", "Its name", \.name), RecordField("iban", "Its account", \.iban, .secret),
        RecordField("verificationToken", "Its token", \.verificationToken, .secret),
    ]
}

private enum Lookup: Codable, Equatable {
    case found(Item)
    case both(Item, with: Item)
    case none
}

private enum Key: String, Codable, CodingKeyRepresentable { case first }
private struct Point: Codable, Hashable { let x: Int }

/// A type whose mirror has another value for one of its members, and has children without names.
private struct Numbered: Codable, CustomReflectable {
    let card: Card
    let digits: Int

    var customMirror: Mirror {
        Mirror(self, unlabeledChildren: ["digits", "(hidden)"], displayStyle: .dictionary)
    }
}

/// Properties with storage of another name.
private struct Wrapping: Codable {
    private var _stored: Item
    private enum CodingKeys: String, CodingKey { case _stored = "stored" }

    init(stored: Item) { _stored = stored }
}

private struct Renamed: Codable {
    let item: Item
    private enum CodingKeys: String, CodingKey { case item = "the_item" }
}

private enum RenamedCase: Codable {
    case found(Item)
    private enum CodingKeys: String, CodingKey { case found = "FOUND" }
}

private struct Holder<Value: Codable & Sendable>: Codable { let value: Value }

/// A record with a field of another name than its property.
private struct Account: Record, Codable {
    var id = 0
    var number = ""

    static let fields: Fields<Account> = [RecordField("iban", "Its number", \.number, .secret)]
}

/// A type that writes a member of a record beside it.
private struct Flat: Codable {
    let item: Item
    private enum CodingKeys: CodingKey { case item, number }

    init(item: Item) { self.item = item }

    init(from decoder: any Decoder) throws {
        item = try decoder.container(keyedBy: CodingKeys.self).decode(Item.self, forKey: .item)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(item, forKey: .item)
        try container.encode(item.iban, forKey: .number)
    }
}

/// A secret text.
private struct Digits: Codable, CustomReflectable {
    let text: String

    init(text: String) { self.text = text }

    init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    var customMirror: Mirror { Mirror(self, children: [:]) }
}

private final class Object: Codable, Sendable {
    let iban: String

    init(iban: String) { self.iban = iban }
}
