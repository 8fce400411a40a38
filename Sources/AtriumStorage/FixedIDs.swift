@_spi(Host) package import AtriumKit
internal import Synchronization

/// The ids of a host whose clock is fixed, counted in a file of the data folder: the next host on the folder makes
/// others, and a snapshot brings the count back together with the data.
package final class FixedIDs: Sendable {
    package static let fileName = "ids.json"

    private let path: String
    /// The ids so far, if they could not be saved: a reset may remove the file.
    private let unsaved = Mutex<UInt64?>(nil)

    private struct Record: Codable {
        let count: UInt64
    }

    private init(path: String) { self.path = path }

    /// Returns the source of ids for a fixed time; opens no file before the first id.
    package static func source(at time: Timestamp, in data: DataFolder) -> IDSource {
        let ids = FixedIDs(path: data.path(fileName))
        return IDSource(seed: UInt64(bitPattern: time.microseconds)) { ids.next() }
    }

    private func next() -> UInt64 {
        unsaved.withLock { unsaved in
            let file = StateFile(path: path, isDurable: false)
            let position = unsaved ?? (try? file.peek(Record.self))?.count ?? 0
            do {
                try file.save(Record(count: position &+ 1))
                unsaved = nil
            } catch {
                unsaved = position &+ 1
            }
            return position
        }
    }
}
