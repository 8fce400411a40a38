import AtriumTesting
import Testing

@_spi(Host) @testable import AtriumKit

private final class Ink {}
private final class Pen { let ink: Ink; init(_ ink: Ink) { self.ink = ink } }
@MainActor private final class PenModel: ViewModel {
    let pen: Pen; let again: Provider<Pen>
    init(_ pen: Pen, _ again: Provider<Pen>) { self.pen = pen; self.again = again }
}
private struct PenView: View { let model: PenModel; var body: Content { Title("Pen") } }
private struct PenPlace: Destination { static let pattern: LinkPattern = "pen" }
private final class Blob: Sendable {}
private final class Fault { var isThere = false }

@MainActor
@Suite("Regressions of the container")
struct FoundFaultTests {
    let container = Container(environment: .mock)

    private func addPen() throws -> ScreenRegistration {
        let r = try container.add { r in
            r.useCase(Pen.self, lifetime: .entry) { _ in Pen(Ink()) }
            r.viewModel(PenModel.self) { PenModel(try $0.useCase(), $0.useCaseProvider()) }
            r.screen(PenPlace.self) { PenView(model: try $0.viewModel()) }
        }.registry
        return r.screens[0]
    }

    @Test("A provider returns the value of the stack entry that it was created for")
    func entrySync() throws {
        let screen = try addPen().build(PenPlace(), in: container)
        let model = (screen.view as! PenView).model
        #expect(try model.again() === model.pen)
        withExtendedLifetime(screen) {}
    }

    @Test("An entry's value that was built in a staged change survives its publication")
    func entryNext() throws {
        let reg = try addPen()
        let change = StagedChange(of: container)
        try change.add(.of("Z") { $0.service(Ink.self) { _ in Ink() } })
        let screen = try reg.build(PenPlace(), in: change.next)
        let model = (screen.view as! PenView).model
        try change.publish()
        #expect(try model.again() === model.pen)
        withExtendedLifetime(screen) {}
    }

    @Test("A factory that throws in inlined code is reported like any other failure")
    func inlinedFailure() throws {
        let fault = Fault()
        let r = try container.add { r in
            r.useCase(Pen.self) { _ in
                if fault.isThere { throw PlainFailure() }; return Pen(Ink())
            }
            r.viewModel(PenModel.self) { PenModel(try $0.useCase(), $0.useCaseProvider()) }
            r.screen(PenPlace.self) { PenView(model: try $0.viewModel()) }
        }.registry
        for _ in 0..<3 { _ = try r.screens[0].build(PenPlace(), in: container) }
        fault.isThere = true
        let error = #expect(throws: ResolutionError.self) {
            try r.screens[0].build(PenPlace(), in: container)
        }
        #expect(
            error?.message
                == "Pen could not be built (pen → PenModel → Pen): it threw an error of type PlainFailure.")
    }

    @Test("A value that was built while tracing is available to inlined code afterwards")
    func traceOpens() throws {
        let scope = try container.add { $0.service(Ink.self) { _ in Ink() } }.scope
        container.trace { _ in }
        _ = try container.resolve(Ink.self, .service, as: scope)
        container.trace(nil)
        for _ in 0..<3 { _ = try container.resolve(Ink.self, .service, as: scope) }
        #expect(container.find(RegistrationKey(Ink.self, .service))?.cell.pointee.state == .value)
    }

    @Test("Verification retains no value that it built")
    func verifyLeak() async throws {
        final class Box { weak var pen: Pen? }
        let box = Box()
        try container.add(module: "A") { $0.service(Ink.self) { _ in Ink() } }
        try container.add(module: "B", requires: ["A"]) { r in
            r.repository(Pen.self) {
                let p = Pen(try $0.service()); box.pen = p; return p
            }
        }
        _ = try container.verify(screens: []) { $0.infrastructure }
        #expect(box.pen == nil)
    }

    @Test("A value that a published change built is released by the next change that affects it")
    func adoptedLeak() async throws {
        let tools = try container.add(module: "Tools", Workshop.tools(1)).scope
        try container.add(module: "Bench", requires: ["Tools"], Workshop.bench)
        _ = try container.resolve(Bench.self, .repository)
        let two = ModuleScope.named("Tools", generation: 2)
        let registry = ModuleRegistry(scope: two)
        Workshop.tools(2)(registry)
        let change = StagedChange(of: container)
        change.remove(tools)
        try change.add(registry)
        try change.rebuild()
        try change.publish()
        weak let bench = try container.resolve(Bench.self, .repository)
        #expect(bench?.saw.edition == 2)
        container.remove(two)
        #expect(bench == nil)
    }

    @Test("Edges that earlier builds of a transient value recorded survive a published change")
    func adoptEdges() throws {
        let fault = Fault()
        let a = try container.add(module: "A") { $0.repository(Ink.self) { _ in Ink() } }.scope
        try container.add(module: "B", requires: ["A"]) { r in
            r.useCase(Pen.self) { Pen(fault.isThere ? Ink() : try $0.repository()) }
            r.aggregateModel(Blob.self) {
                _ = try $0.useCase(Pen.self); return Blob()
            }
        }
        let blob = try container.resolve(Blob.self, .aggregateModel)
        fault.isThere = true
        let change = StagedChange(of: container)
        try change.add(.of("Z") { $0.service(Ink.self) { _ in Ink() } })
        _ = try change.next.resolve(Pen.self, .useCase)
        try change.publish()
        container.remove(a)
        #expect(try container.resolve(Blob.self, .aggregateModel) !== blob)
    }
}
