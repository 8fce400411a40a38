import AtriumKit
import Foundation
import FoundationNetworking
import Glibc

extension URLRequest {
    /// - Throws: ``TransportError`` for a request that can't be sent: its URL is none, a field would break the
    ///   message, or its file can't be read.
    init(_ request: HTTPRequest) throws {
        guard let url = URL(string: request.url), url.scheme == "http" || url.scheme == "https",
            url.host()?.isEmpty == false
        else { throw TransportError.badURL(request) }
        if case .file(let path) = request.body, access(path, R_OK) != 0 {
            throw TransportError.fileNotRead(path, errno)
        }
        self.init(url: url)
        httpMethod = request.method.rawValue
        for field in request.fields.fields {
            guard Self.isWhole(field) else { throw TransportError.badField(request, field.name) }
            addValue(field.value, forHTTPHeaderField: field.name)
        }
        if request.fields["User-Agent"] == nil { setValue("atrium", forHTTPHeaderField: "User-Agent") }
    }

    /// Whether a field stays one on the wire (RFC 9110, section 5.1 and 5.5).
    private static func isWhole(_ field: HTTPFields.Field) -> Bool {
        !field.name.isEmpty
            && field.name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
            && !field.value.utf8.contains { $0 == 0 || $0 == 0x0A || $0 == 0x0D }
    }
}

extension HTTPResponse {
    /// The head of an answer.
    init(_ response: HTTPURLResponse) {
        self.init(status: response.statusCode)
        for (name, value) in response.allHeaderFields {
            if let name = name as? String, let value = value as? String { fields.append(name, value) }
        }
    }
}
