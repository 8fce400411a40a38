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

    func read(_ url: URL) throws {
        // error: [direct-networking] 'Data(contentsOf:)' reads any URL, also one of a network, past the API client;
        //        ask 'APIClient', or read a file of this machine by its path
        _ = try? Data(contentsOf: url)
        // error: [direct-networking] 'Data(contentsOf:)' reads any URL, also one of a network, past the API client;
        //        ask 'APIClient', or read a file of this machine by its path
        let read: (URL, Data.ReadingOptions) throws -> Data = Data.init(contentsOf:options:)
        _ = try read(url, [])
        // error: [direct-networking] 'String(contentsOf:)' reads any URL, also one of a network, past the API client;
        //        ask 'APIClient', or read a file of this machine by its path
        _ = try String(contentsOf: url, encoding: .utf8)
        // error: [direct-networking] 'NSData(contentsOf:)' reads any URL, also one of a network, past the API client;
        //        ask 'APIClient', or read a file of this machine by its path
        _ = try NSData(contentsOf: url, options: [])
        // error: [direct-networking] 'InputStream(url:)' reads any URL, also one of a network, past the API client;
        //        ask 'APIClient', or read a file of this machine by its path
        _ = InputStream(url: url)
        // A path names a file of this machine.
        _ = try String(contentsOfFile: "/etc/hostname", encoding: .utf8)
        _ = FileManager.default.contents(atPath: "/etc/hostname")
    }

    // error: [direct-networking] 'Process' starts a program, which may do anything;
    //        ask 'APIClient' for data, and do the rest in Swift
    var child: Process? { nil }

    func run() throws {
        // error: [direct-networking] 'Process' starts a program, which may do anything;
        //        ask 'APIClient' for data, and do the rest in Swift
        let process = Process()
        // error: [direct-networking] 'Process' starts a program, which may do anything;
        //        ask 'APIClient' for data, and do the rest in Swift
        process.executableURL = URL(filePath: "/usr/bin/curl")
        // error: [direct-networking] 'popen' starts a program, which may do anything;
        //        ask 'APIClient' for data, and do the rest in Swift
        _ = popen("curl", "r")
        // error: [direct-networking] 'system' starts a program, which may do anything;
        //        ask 'APIClient' for data, and do the rest in Swift
        _ = system("curl")
        var child = pid_t()
        var words: [UnsafeMutablePointer<CChar>?] = [nil]
        // error: [direct-networking] 'posix_spawn' starts a program, which may do anything;
        //        ask 'APIClient' for data, and do the rest in Swift
        posix_spawn(&child, "curl", nil, nil, &words, nil)
        // error: [direct-networking] 'dlopen' calls a library that no rule sees;
        //        import a module, and call its functions by name
        _ = dlopen("libcurl.so.4", RTLD_NOW)
    }
}

// error: [direct-networking] '@_silgen_name' calls a library that no rule sees;
//        import a module, and call its functions by name
@_silgen_name("connect") func connectByName(_ socket: Int32) -> Int32
