@_spi(Host) import AtriumKit

// A chain of three modules, Tools ← Bench ← Orders, for tests that change Tools. Paint is independent.

final class Saw {
    let edition: Int

    init(_ edition: Int) {
        self.edition = edition
    }
}

final class Bench {
    let saw: Saw

    init(saw: Saw) {
        self.saw = saw
    }
}

final class OrderBook {
    let bench: Bench
    let paint: Paint

    init(bench: Bench, paint: Paint) {
        self.bench = bench
        self.paint = paint
    }
}

final class Paint {}

/// Depends on paint only, so that changes of the saw don't affect it.
final class PaintShelf {
    let paint: Paint

    init(paint: Paint) {
        self.paint = paint
    }
}

@MainActor
enum Workshop {
    static func tools(_ edition: Int) -> (ModuleRegistry) -> Void {
        { registry in registry.service(Saw.self) { _ in Saw(edition) } }
    }

    static func bench(in registry: ModuleRegistry) {
        registry.repository(Bench.self) { Bench(saw: try $0.service()) }
    }

    static func paint(in registry: ModuleRegistry) {
        registry.repository(Paint.self) { _ in Paint() }
        registry.useCase(PaintShelf.self, lifetime: .shared) { PaintShelf(paint: try $0.repository()) }
    }

    static func orders(in registry: ModuleRegistry) {
        registry.aggregateModel(OrderBook.self) {
            OrderBook(bench: try $0.repository(), paint: try $0.repository())
        }
    }
}
