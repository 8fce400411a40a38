import Foundation
// error: [direct-networking] 'import FoundationNetworking' talks to a network past the API client;
//        ask 'APIClient', and leave the bytes to the module that provides the transport
import FoundationNetworking
import Glibc

struct PriceFetcher {
    func fetch() async throws -> Data {
        // error: [direct-networking] 'FoundationNetworking.URLSession' talks to a network past the API client;
        //        ask 'APIClient', and leave the bytes to the module that provides the transport
        let session = URLSession.shared
        // error: [direct-networking] 'FoundationNetworking.URLSession' talks to a network past the API client;
        //        ask 'APIClient', and leave the bytes to the module that provides the transport
        return try await session.data(from: URL(filePath: "/")).0
    }

    func open() -> Int32 {
        // error: [direct-networking] 'socket' talks to a network past the API client;
        //        ask 'APIClient', and leave the bytes to the module that provides the transport
        socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    }
}
