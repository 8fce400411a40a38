package import AtriumKit
package import AtriumModules
internal import AtriumStorage
internal import Glibc

/// One of the hosts that use a database.
package struct SharedHost: Sendable, Hashable {
    /// Identifies the host across restarts; see ``identity(of:on:)``.
    package var identity: String
    /// The name of its data folder.
    package var name: String
    package var process: Int
    package var machine: String
    package var version: String
    package var modules: [Module]
    /// The number of its front ends.
    package var scenes: Int
    /// The time when it joined, and of its last heartbeat, by the server's clock.
    package var since = Timestamp(microseconds: 0)
    package var seen = Timestamp(microseconds: 0)
    package var isPresent = false

    package init(
        identity: String, name: String, process: Int, machine: String, version: String, modules: [Module],
        scenes: Int
    ) {
        (self.identity, self.name, self.process) = (identity, name, process)
        (self.machine, self.version, self.modules, self.scenes) = (machine, version, modules, scenes)
    }

    /// The machine and the data folder of a host, and a number stored in the folder: containers may share a
    /// name and path.
    ///
    /// - Throws: `StorageError` or `FileError` if the number can't be read or stored; it holds none of the
    ///   user's data, so one that is invalid is replaced.
    package static func identity(of folder: String, on machine: String) throws -> String {
        let path = "\(folder)/identity"
        let kept = try StateFile.read(path, limit: 100)
            .flatMap { UInt64(String(decoding: $0, as: UTF8.self).trimmed, radix: 16) }
        let number = kept ?? UInt64.random(in: 0 ... .max)
        let text = String(number, radix: 16)
        if kept == nil { try AtomicFile.write(Array(text.utf8), to: path) }
        return "\(machine):\(folder):\(text)"
    }

    package static func name(of folder: String) -> String {
        folder.split(separator: "/").last.map(String.init) ?? "atrium"
    }

    /// The name of the machine that this process runs on.
    package static var currentMachine: String {
        var name = [CChar](repeating: 0, count: 256)
        gethostname(&name, 255)
        // A `CChar` may be negative.
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    package struct Module: Codable, Sendable, Hashable {
        package let name: String
        package let version: String
        package let generation: Int

        package init(name: String, version: String, generation: Int) {
            (self.name, self.version, self.generation) = (name, version, generation)
        }
    }
}

/// An event of a host's journal.
package struct SharedEvent: Sendable {
    package let host: String
    package let event: JournalEvent
}
