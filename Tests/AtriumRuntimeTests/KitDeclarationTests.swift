import Testing

@testable import AtriumRuntime

@Suite("Declarations of AtriumKit in words")
struct KitDeclarationTests {
    private func words(_ demangled: String) -> String? {
        KitDeclaration(demangled: demangled)?.description
    }

    @Test(
        "All symbols of a declaration give the same words",
        arguments: [
            "dispatch thunk of AtriumKit.Navigator.present(AtriumKit.Destination) async throws -> ()",
            "async function pointer to dispatch thunk of "
                + "AtriumKit.Navigator.present(AtriumKit.Destination) async throws -> ()",
            "method descriptor for AtriumKit.Navigator.present(AtriumKit.Destination) async throws -> ()",
            "(extension in AtriumKit):AtriumKit.Navigator.present(AtriumKit.Destination) async throws -> ()",
            "default argument 0 of AtriumKit.Navigator.present(AtriumKit.Destination) async throws -> ()",
            "static AtriumKit.Navigator.present(AtriumKit.Destination) -> ()",
        ])
    func oneDeclaration(_ demangled: String) {
        #expect(words(demangled) == "`Navigator.present(_:)`")
    }

    @Test("A function is told with its labels, whatever brackets its types have")
    func labels() {
        #expect(words("AtriumKit.MockScenario.play() async throws -> ()") == "`MockScenario.play()`")
        #expect(
            words("AtriumKit.AnalyticsEvent.init(Swift.String, [Swift.String : Swift.String]) -> ()")
                == "`AnalyticsEvent.init(_:_:)`")
        #expect(
            words(
                "AtriumKit.Table.init<A where A: AtriumKit.Displayable>(_: Swift.Array<(A, B)>, key: Swift.String, "
                    + "columns: (A) -> Swift.Array<AtriumKit.Column<A>>) -> AtriumKit.Table<A>")
                == "`Table.init(_:key:columns:)`")
        #expect(
            words("AtriumKit.Box.make<A>(() -> Swift.Dictionary<(A) -> A, A>, of: A) -> A")
                == "`Box.make(_:of:)`")
    }

    @Test("Accessors and descriptors of a property or subscript are the property")
    func properties() {
        let name = "AtriumKit.Action.name"

        #expect(words("\(name).getter : Swift.String") == "`Action.name`")
        #expect(words("\(name).modify : Swift.String") == "`Action.name`")
        #expect(words("property descriptor for \(name) : Swift.String") == "`Action.name`")
        #expect(
            words("AtriumKit.Values.subscript.getter : (Swift.String) -> Swift.String")
                == "`Values.subscript`")
        #expect(
            words("property descriptor for AtriumKit.Values.subscript(Swift.String) -> Swift.String")
                == "`Values.subscript`")
    }

    @Test("Types, protocols, cases and operators are told as what they are")
    func kinds() {
        #expect(words("type metadata accessor for AtriumKit.Gauge") == "type `Gauge`")
        #expect(words("nominal type descriptor for AtriumKit.Gauge.Kind") == "type `Gauge.Kind`")
        #expect(words("class metadata base offset for AtriumKit.Gauge") == "type `Gauge`")
        #expect(words("protocol descriptor for AtriumKit.Gauging") == "protocol `Gauging`")
        #expect(words("protocol requirements base descriptor for AtriumKit.Gauging") == "protocol `Gauging`")
        #expect(
            words("enum case for AtriumKit.Lifetime.entry(AtriumKit.Lifetime.Type) -> AtriumKit.Lifetime")
                == "`Lifetime.entry`")
        #expect(
            words(
                "static AtriumKit.Timestamp.< infix(AtriumKit.Timestamp, AtriumKit.Timestamp) -> Swift.Bool")
                == "`Timestamp.<`")
        #expect(words("AtriumKit.Gauge.__allocating_init() -> AtriumKit.Gauge") == "`Gauge.init()`")
    }

    @Test("A conformance names both sides")
    func conformances() {
        #expect(
            words("protocol witness table for Swift.String : AtriumKit.Displayable in AtriumKit")
                == "the conformance of `String` to `Displayable`")
        #expect(
            words("base conformance descriptor for AtriumKit.Destination: Swift.Hashable")
                == "the conformance of `Destination` to `Hashable`")
        #expect(
            words(
                "protocol conformance descriptor for <A where A: AtriumKit.Displayable> A? : AtriumKit.Displayable "
                    + "in AtriumKit") == "the conformance of `A?` to `Displayable`")
        #expect(
            words(
                "associated conformance descriptor for AtriumKit.ViewModel.AtriumKit.ViewModel.SavedState: "
                    + "Swift.Encodable") == "the conformance of `ViewModel.SavedState` to `Encodable`")
    }

    @Test(
        "What another library defines is not AtriumKit's, though it names it",
        arguments: [
            "Contracts.Price.init(of: AtriumKit.Timestamp) -> Contracts.Price",
            "Contracts.show(AtriumKit.View) -> ()",
            "(extension in Contracts):AtriumKit.View.priced() -> ()",
            "protocol conformance descriptor for Contracts.Price : AtriumKit.Displayable in Contracts",
            "protocol witness table for AtriumKit.Timestamp : Contracts.Priced in Contracts",
            "type metadata accessor for OtherAtriumKit.Price", "Swift.String.count.getter : Swift.Int", "",
        ])
    func others(_ demangled: String) {
        #expect(words(demangled) == nil)
    }

    @Test("Text that ends anywhere is read to its end and no further")
    func cutOff() {
        let text = "dispatch thunk of AtriumKit.Box.make<A>(_: Swift.Array<A>, of: (A) -> B) async -> A"

        for length in 0...text.count { _ = words(String(text.prefix(length))) }
        #expect(words(text) == "`Box.make(_:of:)`")
    }
}
