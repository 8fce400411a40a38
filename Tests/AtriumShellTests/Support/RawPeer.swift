import AtriumKit

@testable import AtriumSession
@testable import AtriumText

/// An end of a connection that sends any bytes, and takes messages one at a time.
@MainActor
final class RawPeer {
    private let stream: LineStream<RPCMessage>
    private let messages: AsyncStream<RPCMessage>

    init(_ descriptor: CInt) {
        let stream = LineStream<RPCMessage>(descriptor)
        let (messages, arrivals) = AsyncStream.makeStream(of: RPCMessage.self)
        (self.stream, self.messages) = (stream, messages)
        _ = stream.read {
            RPCMessage(line: $0)
        } receive: { message in
            arrivals.yield(message)
            stream.didHandle()
        } didEnd: { _ in
            arrivals.finish()
        }
    }

    deinit { stream.close() }

    /// Sends bytes; blocks while the other end does not read.
    func send(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { OutputStream.write($0, to: stream.descriptor) }
    }

    /// The next message; nil if the other end has closed the connection.
    func next() async -> RPCMessage? {
        for await message in messages { return message }
        return nil
    }

    /// Takes a request and returns its method; answers with `result`, or closes the connection if it is nil.
    func take(answering result: JSONObject?) async -> String? {
        guard case .request(let id, let method, _)? = await next() else { return nil }
        if let result { stream.send(RPCMessage.result(id, result)) } else { stream.close() }
        return method
    }
}
