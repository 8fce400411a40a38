import AtriumKit
import Observation

@MainActor
@Observable
final class PriceViewModel: ViewModel {
    // error: [service-access] a view model refers to 'PriceService', which is a service;
    //        let a repository ask it, and decide what the answer means
    private let service: any PriceService
    // error: [service-access] a view model refers to 'PriceService', which is a service;
    //        let a repository ask it, and decide what the answer means
    private let several: [String: (any PriceService)?]
    // error: [service-access] a view model refers to 'Prices', which is a service;
    //        let a repository ask it, and decide what the answer means
    private let alias: Prices?
    // error: [service-access] a view model refers to 'PriceReading', which is a service;
    //        let a repository ask it, and decide what the answer means
    private let between: any PriceReading
    // error: [service-access] a view model refers to 'PriceService', which is a service;
    //        let a repository ask it, and decide what the answer means
    private let later: () -> any PriceService

    // error: [service-access] a view model refers to 'PriceService', which is a service;
    //        let a repository ask it, and decide what the answer means
    // error: [service-access] a view model refers to 'PriceReading', which is a service;
    //        let a repository ask it, and decide what the answer means
    init(service: any PriceService, between: any PriceReading, later: @escaping () -> any PriceService) {
        self.service = service
        self.between = between
        self.later = later
        several = [:]
        alias = nil
    }

    // error: [service-access] a view model refers to 'PriceService', which is a service;
    //        let a repository ask it, and decide what the answer means
    func load(from service: some PriceService) async throws {
        // error: [service-access] a view model refers to 'PriceService', which is a service;
        //        let a repository ask it, and decide what the answer means
        _ = try await service.cents()
    }

    // error: [service-access] a view model refers to 'PriceService', which is a service;
    //        let a repository ask it, and decide what the answer means
    func reload<Service>(from service: Service) async throws where Service: PriceService {}

    // error: [service-access] a view model refers to 'APIClient', which is for services;
    //        let a service ask, behind a protocol
    func load(from api: any APIClient) async throws {}

    // error: [service-access] a view model refers to 'Database', which is for services;
    //        let a service ask, behind a protocol
    func load(from database: any Database) async throws {}

    func make() {
        // error: [concrete-service] a view model refers to 'MockPriceService', one implementation of a service;
        //        use the service's protocol
        // error: [service-access] a view model refers to 'MockPriceService', which is a service;
        //        let a repository ask it, and decide what the answer means
        _ = MockPriceService()
        // error: [service-access] a view model refers to 'PriceFormat', which is a service;
        //        let a repository ask it, and decide what the answer means
        _ = PriceFormat()
    }
}
