import AtriumKit

protocol PriceService: Sendable {
    func set(_ price: Price) async throws
}

struct MockPriceService: PriceService {
    // error: [service-logic] a service refers to 'Analytics', which is not for services;
    //        let the repository do that, before or after it asks the service
    let analytics: (any Analytics)?

    func set(_ price: Price) async throws {
        // error: [service-logic] a service asks for the rules of 'Price';
        //        let the repository do that, before or after it asks the service
        guard price.validate().isEmpty else { return }
        // error: [service-logic] a service refers to 'PriceRules', which is a repository;
        //        let the repository do that, before or after it asks the service
        guard price.cents > PriceRules.lowest else { return }
        // error: [service-logic] a service refers to 'SessionManager', which is not for services;
        //        let the repository do that, before or after it asks the service
        // error: [global-access] 'SessionManager.shared' is one for the whole process, which tests can't replace;
        //        take the context's 'session', which repositories write and view models read
        guard await SessionManager.shared.user != nil else { return }
        // error: [service-logic] a service refers to 'Analytics', which is not for services;
        //        let the repository do that, before or after it asks the service
        // error: [service-logic] a service refers to 'AnalyticsEvent', which is not for services;
        //        let the repository do that, before or after it asks the service
        await analytics?.track(AnalyticsEvent("priceSet"))
        // A mock stands for the server, which may refuse.
        guard price.cents < 1_000 else { return }
    }
}

struct LocalPriceService: PriceService {
    let api: any APIClient

    func set(_ price: Price) async throws {
        // error: [service-logic] a service decides by 'price.cents < 1_000';
        //        let the repository do that, before or after it asks the service
        guard price.cents < 1_000 else { throw CancellationError() }
        // error: [service-logic] a service decides by 'price.cents > Price.highest';
        //        let the repository do that, before or after it asks the service
        if price.cents > Price.highest { throw CancellationError() }
        // error: [service-logic] a service decides by 'contains("@example.com")' of a model's text;
        //        let the repository do that, before or after it asks the service
        if price.seller.contains("@example.com") { throw CancellationError() }
        // Whether there is anything is no rule.
        if price.cents == 0 { return }
    }
}
