import Foundation
import Testing

/// The module that is updated repeatedly: fixture `soak`, with another number in every build.
final class SoakSubject {
    /// The path of its library.
    let file: URL
    /// The number of the build that was installed last.
    private(set) var build = 0
    private let image: LibraryImage

    /// - Parameter folder: An empty folder, which the caller removes.
    /// - Throws: If the module can't be built or installed.
    init(in folder: URL) throws {
        image = try LibraryImage(of: FixtureModule("soak"))
        file = folder.appending(path: "libSoak.so")
        try install()
    }

    /// The size in memory of a build's pages that are never written to.
    var constantBytes: Int { image.mappedBytes(writable: false) }

    /// The size in memory of a build's writable pages.
    var writtenBytes: Int { image.mappedBytes(writable: true) }

    /// Replaces the library by the next build, as a build tool does.
    func installNext() throws {
        build += 1
        try install()
    }

    private func install() throws {
        var next = image
        next.replace(Self.mark + "00000000", with: Self.mark + String(build).leftPadded(to: 8))
        try next.data.write(to: file, options: .atomic)
    }

    fileprivate static let mark = "build of the soak "
}

extension String {
    fileprivate func leftPadded(to count: Int) -> String {
        String(repeating: "0", count: count - self.count) + self
    }
}

/// Checks every reply and records problems.
struct SoakRecord {
    /// The newest build that has replied.
    private(set) var build = 0
    /// How many increments were acknowledged.
    private(set) var increments = 0
    private(set) var replies = 0
    /// The first few problems.
    private(set) var problems: [String] = []

    private static let layers = ["view", "viewModel", "repository", "service", "later"]

    /// - Returns: Whether the reply is the first of its build.
    @discardableResult
    mutating func take(_ reply: HostReply) -> Bool {
        replies += 1
        guard reply.isOK else {
            note("failed", reply)
            return false
        }
        let marks = Set(Self.layers.compactMap { reply[$0] })
        guard let mark = marks.first else { return false }
        if marks.count > 1 { note("comes from several builds", reply) }
        if reply.command == "soak increment" {
            increments += 1
            if reply["count"] != "\(increments)" { note("is not increment \(increments)", reply) }
        }
        let build = Int(mark.dropFirst(SoakSubject.mark.count)) ?? -1
        if build < self.build { note("comes from a build before \(self.build)", reply) }
        defer { self.build = build }
        return build > self.build
    }

    private mutating func note(_ problem: String, _ reply: HostReply) {
        if problems.count < 5 { problems.append("\(problem): \(reply.text)") }
    }
}
