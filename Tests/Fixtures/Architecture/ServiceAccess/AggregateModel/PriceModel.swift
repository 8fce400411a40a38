@MainActor
final class PriceModel {
    // error: [service-access] an aggregate model refers to 'PriceService', which is a service;
    //        let a repository ask it, and decide what the answer means
    private let service: any PriceService

    // error: [service-access] an aggregate model refers to 'PriceService', which is a service;
    //        let a repository ask it, and decide what the answer means
    init(service: any PriceService) {
        self.service = service
    }
}
