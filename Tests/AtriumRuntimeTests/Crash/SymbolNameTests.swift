import Testing

@testable import AtriumRuntime

@Suite("Readable names of functions")
struct SymbolNameTests {
    @Test(
        "Types, modules and the compiler's additions are left out",
        arguments: [
            ("Clockwork.ChimesView.actions.getter : Swift.Array<AtriumKit.Action>", "ChimesView.actions"),
            ("Clockwork.Chimes.strike() -> ()", "Chimes.strike"),
            ("static Clockwork.Chimes.make(count: Swift.Int) -> Clockwork.Chimes", "Chimes.make"),
            ("Clockwork.Box.value<A>(A) -> A", "Box.value"),
            ("merged Clockwork.Chimes.strike() -> ()", "Chimes.strike"),
            (
                "(2) suspend resume partial function for Clockwork.Chimes.load() async throws -> ()",
                "Chimes.load"
            ),
            ("partial apply forwarder for Clockwork.helper() -> ()", "helper"),
            (
                "function signature specialization <Arg[1] = Dead> of Clockwork.Chimes.strike() -> ()",
                "Chimes.strike"
            ),
            (
                "generic specialization <()> of static Swift.MainActor.assumeIsolated<A>(_: A) -> A",
                "MainActor.assumeIsolated"
            ),
            (
                """
                closure #1 @Swift.MainActor @Sendable () async throws -> Swift.String in closure #4 \
                (AtriumKit.ContributionContext) -> AtriumKit.HealthCheck in \
                Clockwork.ClockworkModule.register(in: AtriumKit.ModuleRegistry) -> ()
                """, "a closure in ClockworkModule.register"
            ),
            (
                """
                (1) await resume partial function for protocol witness for AtriumKit.View.load() \
                async throws -> () \
                in conformance Clockwork.ChimesView : AtriumKit.View in Clockwork
                """, "ChimesView.load"
            ),
            ("Clockwork.(helper in _7E2C6E99)() -> ()", "helper"),
            ("Clockwork.(Part in _7E2C6E99).run(Swift.Int) -> ()", "Part.run"),
            ("Clockwork.Pair.init(first: Swift.Int) -> Clockwork.Pair", "Pair.init"),
            ("Other.Chimes.strike() -> ()", "Other.Chimes.strike"),
            ("_start", "_start"), ("", ""),
        ])
    func simplified(text: String, name: String) {
        #expect(SymbolName.simplified(text, in: "Clockwork") == name)
    }

    @Test("A mangled name is demangled, any other is unchanged")
    func demangled() {
        #expect(SymbolName.readable("$s9Clockwork6ChimesC6strikeyyF", in: "Clockwork") == "Chimes.strike")
        #expect(SymbolName.readable("qsort", in: "libc.so.6") == "qsort")
        #expect(SymbolName.readable("$snonsense", in: "Clockwork") == "$snonsense")
    }
}
