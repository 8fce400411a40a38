import AtriumKit

@MainActor
final class PriceRepository {
    let service: any PriceService
    // error: [service-access] a repository refers to 'APIClient', which is for services;
    //        let a service ask, behind a protocol
    let api: any APIClient

    init(
        service: any PriceService,
        // error: [service-access] a repository refers to 'APIClient', which is for services;
        //        let a service ask, behind a protocol
        api: any APIClient
    ) {
        self.service = service
        self.api = api
    }
}
