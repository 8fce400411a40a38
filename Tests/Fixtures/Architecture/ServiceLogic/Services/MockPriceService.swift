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
        // error: [service-logic] a service decides by 'price.cents > PriceRules.lowest';
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
    }
}
