@_spi(Host) import AtriumKit

// The destinations: one view model and screen, with and without a guard.

final class SaleService {}

final class SaleRepository {
    let service: SaleService

    init(service: SaleService) {
        self.service = service
    }
}

final class SaleViewModel: ViewModel {
    struct SavedState: Codable {
        var page: Int
    }

    let repository: SaleRepository
    let navigator: any Navigator
    var page = 1

    init(repository: SaleRepository, navigator: any Navigator) {
        self.repository = repository
        self.navigator = navigator
    }

    var savedState: SavedState { SavedState(page: page) }

    func restore(_ state: SavedState) {
        page = state.page
    }
}

/// The same without saved state.
final class PlainViewModel: ViewModel {
    let repository: SaleRepository

    init(repository: SaleRepository) {
        self.repository = repository
    }
}

struct SaleView: View {
    let viewModel: SaleViewModel
    var body: Content { Text("Sale") }
}

struct PlainView: View {
    let viewModel: PlainViewModel
    var body: Content { Text("Plain") }
}

struct SaleDestination: Destination {
    static let pattern: LinkPattern = "sales/:id"
    let id: Int
}

struct PlainDestination: Destination {
    static let pattern: LinkPattern = "plain/:id"
    let id: Int
}

struct GuardedDestination: Destination {
    static let pattern: LinkPattern = "guarded/:id"
    static let guards: [GuardName] = [.signedIn]
    let id: Int
}

// MARK: - Many patterns

protocol Digit {
    static var value: Int { get }
}

enum D0: Digit { static var value: Int { 0 } }
enum D1: Digit { static var value: Int { 1 } }
enum D2: Digit { static var value: Int { 2 } }
enum D3: Digit { static var value: Int { 3 } }
enum D4: Digit { static var value: Int { 4 } }
enum D5: Digit { static var value: Int { 5 } }
enum D6: Digit { static var value: Int { 6 } }
enum D7: Digit { static var value: Int { 7 } }
enum D8: Digit { static var value: Int { 8 } }
enum D9: Digit { static var value: Int { 9 } }

/// One of ten thousand destinations.
struct FillerDestination<A: Digit, B: Digit, C: Digit, D: Digit>: Destination {
    static var pattern: LinkPattern { LinkPattern(stringLiteral: "fillers\(number)/:id/parts/:part") }
    static var number: Int { A.value * 1_000 + B.value * 100 + C.value * 10 + D.value }
    let id: Int
    let part: String
}

struct FillerView: View {
    var body: Content { Text("Filler") }
}

@MainActor
enum Fillers {
    private static let digits: [any Digit.Type] = [
        D0.self, D1.self, D2.self, D3.self, D4.self, D5.self, D6.self, D7.self, D8.self, D9.self,
    ]

    static func register(_ number: Int, in registry: ModuleRegistry) {
        func digit(_ unit: Int) -> any Digit.Type { digits[number / unit % 10] }
        func open<A: Digit, B: Digit, C: Digit, D: Digit>(_: A.Type, _: B.Type, _: C.Type, _: D.Type) {
            registry.screen(FillerDestination<A, B, C, D>.self) { _ in FillerView() }
        }
        open(digit(1_000), digit(100), digit(10), digit(1))
    }
}
