internal import AtriumKit
internal import AtriumStorage
internal import AtriumText
internal import Dispatch
internal import Glibc
internal import Synchronization

/// A pipe or a device, whose other end may be slow: a queue opens it and writes.
@MainActor
final class DeviceTarget: ResultTarget {
    let name: String
    private let device: Device

    private init(_ path: String, _ device: Device) {
        name = "'\(path)'"
        self.device = device
    }

    /// Waits for the reader of a pipe, or for cancellation.
    static func open(_ path: String) async throws -> DeviceTarget {
        let device = Device()
        let number = try await device.perform { device.open(path) }
        if let number { throw FileTarget.unwritable(path, number) }
        return DeviceTarget(path, device)
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> CInt? {
        device.write(Array(bytes))
        return device.failure
    }

    func drained() async throws -> Bool {
        try await device.perform {}
        if let number = device.failure { throw ShellError.outputFailed(name, errno: number) }
        return true
    }

    func close(keeps: Bool) async throws {
        defer { device.close() }
        _ = try await drained()
    }
}

/// The descriptor; only the queue uses it.
private final class Device: Sendable {
    private let queue = DispatchQueue(label: "atrium.device")
    private let state = Mutex((descriptor: CInt(-1), failure: CInt?.none))
    private let isCancelled = Flag()
    /// The milliseconds between two checks for cancellation.
    private static let pause: CInt = 50

    var failure: CInt? { state.withLock { $0.failure } }

    /// Runs work on the queue, after earlier work; a cancellation ends both.
    @MainActor
    func perform<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async throws -> Value {
        let promise = Promise<Value>(onAbandon: { [self] in
            isCancelled.set()
            close()
        })
        queue.async { promise.settle(.success(work())) }
        return try await promise.value()
    }

    /// Opens the file; returns the error number if that fails.
    func open(_ path: String) -> CInt? {
        while !isCancelled.isSet {
            let descriptor = Glibc.open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
            if descriptor >= 0 {
                state.withLock { $0.descriptor = descriptor }
                return nil
            }
            let number = errno
            // A pipe may get a reader later; a socket or terminal never does.
            guard number == EINTR || number == ENXIO && FileStatus(of: path)?.kind == .pipe else {
                return number
            }
            poll(nil, 0, Self.pause)
        }
        return EINTR
    }

    func write(_ bytes: [UInt8]) {
        queue.async { [self] in
            let (descriptor, failure) = state.withLock { $0 }
            guard failure == nil else { return }
            var rest = bytes[...]
            while !rest.isEmpty, !isCancelled.isSet {
                let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
                if count >= 0 {
                    rest = rest.dropFirst(count)
                } else if errno == EAGAIN {
                    var event = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    poll(&event, 1, Self.pause)
                } else if errno != EINTR {
                    let number = errno
                    return state.withLock { $0.failure = number }
                }
            }
        }
    }

    func close() {
        queue.async { [self] in
            let descriptor = state.withLock { state in
                defer { state.descriptor = -1 }
                return state.descriptor
            }
            if descriptor >= 0 { _ = Glibc.close(descriptor) }
        }
    }
}
