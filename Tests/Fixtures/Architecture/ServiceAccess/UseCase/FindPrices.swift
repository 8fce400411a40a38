import AtriumKit

// error: [service-access] a use case refers to 'PriceService', which is a service;
//        let a repository ask it, and decide what the answer means
struct FindPrices<Service: PriceService> {
    // error: [service-access] a use case refers to 'Database', which is for services;
    //        let a service ask, behind a protocol
    let database: any Database
}
