import Testing

@_spi(Host) @testable import AtriumKit

private final class Quote {
    let text: String

    init(_ text: String) {
        self.text = text
    }
}

private final class Offer {
    let quotes: [String]
    let terms: String

    init(quotes: [Quote], terms: String) {
        self.quotes = quotes.map(\.text)
        self.terms = terms
    }
}

private final class OfferModel: ViewModel {
    let offers: [Offer]
    let note: String

    init(offers: [Offer], note: String) {
        self.offers = offers
        self.note = note
    }
}

@Suite("Factories that take arguments")
@MainActor
struct ArgumentTests {
    private let container = Container(environment: .mock)

    private func failure(_ resolve: () throws -> Void) -> ResolutionError? {
        #expect(throws: ResolutionError.self) { try resolve() }
    }

    @Test("A use case with one, two or four arguments is built on each use")
    func useCases() throws {
        try container.add(module: "One") { registry in
            registry.useCase(Quote.self) { (_: borrowing UseCaseContext, count: Int) in Quote("\(count)") }
        }
        try container.add(module: "Two") { registry in
            registry.useCase(Offer.self) { (_: borrowing UseCaseContext, quote: Quote, terms: String) in
                Offer(quotes: [quote], terms: terms)
            }
        }
        try container.add(module: "Four") { registry in
            registry.useCase(Basket.self) {
                (_: borrowing UseCaseContext, first: Int, second: Double, third: String, fourth: Bool) in
                Basket(rule: rule(named: "\(first) \(second) \(third) \(fourth)"))
            }
        }

        let quote = try container.resolve(Quote.self, .useCase, 3)
        let offer = try container.resolve(Offer.self, .useCase, quote, "net")
        let basket = try container.resolve(Basket.self, .useCase, 1, 2.5, "x", true)

        #expect(quote.text == "3")
        #expect(quote !== (try container.resolve(Quote.self, .useCase, 3)))
        #expect(offer.quotes == ["3"] && offer.terms == "net")
        #expect(basket.rule.prices.service.name == "1 2.5 x true")
    }

    @Test("A use case uses another one: a named one of another module, and one with arguments")
    func useCaseOfUseCases() throws {
        try container.add(module: "Prices") { registry in
            registry.useCase(Quote.self, named: "net") { _ in Quote("net") }
            registry.useCase(Quote.self) { (_: borrowing UseCaseContext, count: Int) in Quote("\(count)") }
        }
        try container.add(module: "Offers", requires: ["Prices"]) { registry in
            registry.useCase(Offer.self) { context in
                Offer(
                    quotes: [try context.useCase(named: "net"), try context.useCase(Quote.self, 3)],
                    terms: "gross")
            }
        }

        #expect(try container.resolve(Offer.self, .useCase).quotes == ["net", "3"])
    }

    @Test("Contexts pass one, two and four arguments down to use cases and aggregate models")
    func throughContexts() throws {
        try container.add { registry in
            registry.useCase(Quote.self) {
                (_: borrowing UseCaseContext, first: Int, second: Int, third: Int, fourth: Int) in
                Quote("\([first, second, third, fourth])")
            }
            registry.aggregateModel(Offer.self) {
                (context: borrowing AggregateModelContext, count: Int, terms: String) in
                Offer(quotes: [try context.useCase(Quote.self, count, 2, 3, 4)], terms: terms)
            }
            registry.viewModel(OfferModel.self) { (context: borrowing ViewModelContext, note: String) in
                OfferModel(
                    offers: [
                        try context.aggregateModel(Offer.self, 1, "net"),
                        try context.aggregateModel(Offer.self, 9, "gross"),
                    ], note: note)
            }
        }

        let model = try container.resolve(OfferModel.self, .viewModel, "soon")

        #expect(model.note == "soon")
        #expect(model.offers.map(\.quotes) == [["[1, 2, 3, 4]"], ["[9, 2, 3, 4]"]])
        #expect(model.offers.map(\.terms) == ["net", "gross"])
    }

    @Test("A view model can take two or four arguments")
    func viewModels() throws {
        try container.add(module: "Two") { registry in
            registry.viewModel(OfferModel.self) {
                (_: borrowing ViewModelContext, note: String, count: Int) in
                OfferModel(offers: [], note: note + "\(count)")
            }
        }
        let two = try container.resolve(OfferModel.self, .viewModel, "n", 2)
        let other = Container(environment: .mock)
        try other.add(module: "Four") { registry in
            registry.viewModel(OfferModel.self) {
                (_: borrowing ViewModelContext, first: Int, second: Int, third: Int, note: String) in
                OfferModel(offers: [], note: note + "\(first + second + third)")
            }
        }
        let four = try other.resolve(OfferModel.self, .viewModel, 1, 2, 3, "n")

        #expect(two.note == "n2")
        #expect(four.note == "n6")
    }

    @Test("Arguments in the wrong order, number or type are an error that lists expected and given types")
    func mismatch() throws {
        try container.add { registry in
            registry.useCase(Quote.self) { (_: borrowing UseCaseContext, count: Int, name: String?) in
                Quote(name ?? "\(count)")
            }
            registry.aggregateModel(Offer.self) { (context: borrowing AggregateModelContext, name: String) in
                Offer(quotes: [try context.useCase(Quote.self, name)], terms: name)
            }
        }

        let order = failure { _ = try container.resolve(Quote.self, .useCase, "x", 1) }
        let type = failure { _ = try container.resolve(Quote.self, .useCase, 1, "x") }
        let inner = failure { _ = try container.resolve(Offer.self, .aggregateModel, "x") }

        #expect(order?.code == .argumentMismatch)
        #expect(
            order?.message
                == "Quote takes (Int, Optional<String>), but was given (String, Int): Quote.")
        #expect(
            type?.message
                == "Quote takes (Int, Optional<String>), but was given (Int, String): Quote.")
        #expect(
            inner?.message
                == "Quote takes (Int, Optional<String>), but was given (String): Offer → Quote.")
        #expect(inner?.path == ["Offer", "Quote"])
        #expect(order?.hint == "Pass what its factory takes, in that order and of exactly these types.")
        #expect(try container.resolve(Quote.self, .useCase, 1, String?.some("x")).text == "x")
    }

    private func rule(named name: String) -> DiscountRule {
        DiscountRule(prices: PriceRepository(service: NamedPriceService(name: name)))
    }
}
