import AtriumKit

struct PriceList: Destination {
    static let pattern: LinkPattern = "prices"
}

struct PriceView: View {
    // error: [repository-access] a view refers to 'PriceService', which is a service;
    //        let its view model ask, and show what that holds
    let service: any PriceService

    var body: Content { Title("Prices") }

    func load() async throws {
        // error: [repository-access] a view refers to 'PriceRepository', which is a repository;
        //        let its view model ask, and show what that holds
        let repository = PriceRepository(prices: service)
        // error: [repository-access] a view refers to 'PriceRepository', which is a repository;
        //        let its view model ask, and show what that holds
        _ = try await repository.price()
        // error: [repository-access] a view refers to 'PriceRepository', which is a repository;
        //        let its view model ask, and show what that holds
        // error: [repository-access] a view refers to 'Shelf', which is a repository;
        //        let its view model ask, and show what that holds
        _ = Shelf(prices: service)
    }
}
