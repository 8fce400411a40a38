internal import AtriumKit
internal import FoundationEssentials
internal import Glibc

/// Bodies that are an error by a member `errorCode` that is not 0, whatever the status.
enum ErrorCodeBody {
    private struct Body: Decodable {
        let errorCode: Int
        let errorMsg: String?
    }

    /// The error of a body; nil where it is none.
    static func handler(_ response: HTTPResponse) -> ResponseErrorHandler? {
        // Every answer passes here: most have no such member, and are not decoded twice.
        guard mentionsCode(response.body),
            let body = try? JSONDecoder().decode(Body.self, from: Data(response.body)), body.errorCode != 0
        else { return nil }
        return ResponseErrorHandler(
            errorMsg: body.errorMsg ?? "", errorCode: body.errorCode, statusCode: response.status)
    }

    /// Looks for the C, which is rarer than the other letters, and then around it.
    private static func mentionsCode(_ body: [UInt8]) -> Bool {
        let name = Array("\"errorCode\"".utf8)
        let offset = 6
        return body.withUnsafeBytes { bytes in
            var start = offset
            while start < bytes.count, let base = bytes.baseAddress,
                let found = memchr(base + start, Int32(UInt8(ascii: "C")), bytes.count - start)
            {
                let index = base.distance(to: UnsafeRawPointer(found))
                if bytes[(index - offset)...].starts(with: name) { return true }
                start = index + 1
            }
            return false
        }
    }
}
