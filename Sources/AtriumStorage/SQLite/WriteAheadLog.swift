internal import Glibc

/// The file of a write-ahead log, as SQLite's file format 4.1 describes it.
enum WriteAheadLog {
    private static let magic: [UInt8] = [0x37, 0x7F, 0x06]
    private static let headerSize = 32
    private static let frameHeaderSize = 24

    /// How many bytes the log takes up to the end of its last commit; nil where that can't be read.
    ///
    /// Reads the header of every frame. Checksums are left out: a frame that has the salt of the log and is
    /// marked as a commit counts, so that never too little is kept.
    static func committedSize(_ path: String) -> off_t? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard let header = bytes(headerSize, at: 0, of: descriptor) else { return nil }
        let pageSize = header[8..<12].reduce(0) { $0 << 8 | off_t($1) }
        guard header.starts(with: magic), pageSize >= 512 else { return nil }
        let salt = Array(header[16..<24])
        var (place, end) = (off_t(headerSize), off_t(headerSize))
        while let frame = bytes(frameHeaderSize, at: place, of: descriptor), Array(frame[8..<16]) == salt {
            place += off_t(frameHeaderSize) + pageSize
            // The size of the database after the commit; 0 in any other frame.
            if frame[4..<8].contains(where: { $0 != 0 }) { end = place }
        }
        return end
    }

    private static func bytes(_ count: Int, at place: off_t, of descriptor: CInt) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return pread(descriptor, &bytes, count, place) == count ? bytes : nil
    }
}
