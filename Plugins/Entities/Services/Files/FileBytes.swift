import Glibc

/// The bytes of a regular file, one after the other, and where each stands; reads 64 KiB at a time.
struct FileBytes: ~Copyable {
    /// The line of the next byte, from 1.
    private(set) var line = 1
    /// The character that the next byte belongs to, from 1.
    private(set) var column = 1

    private let path: String
    private let descriptor: CInt
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)
    private var index = 0
    private var filled = 0

    /// Opens the file.
    ///
    /// - Throws: ``EntityFileError`` for what is not there, is no regular file, or may not be read.
    init(_ path: String) throws(EntityFileError) {
        descriptor = try Self.descriptor(of: path)
        self.path = path
    }

    deinit {
        close(descriptor)
    }

    /// The next byte, which stays; nil at the end.
    mutating func peek() throws(EntityFileError) -> UInt8? {
        if index == filled { try refill() }
        return index < filled ? buffer[index] : nil
    }

    /// Takes the next byte; nil at the end.
    mutating func next() throws(EntityFileError) -> UInt8? {
        if index == filled { try refill() }
        guard index < filled else { return nil }
        let byte = buffer[index]
        index += 1
        if byte == UInt8(ascii: "\n") {
            line += 1
            column = 1
        } else if byte & 0xC0 != 0x80 {
            column += 1
        }
        return byte
    }

    /// Takes the mark before the text, where there is one.
    ///
    /// - Throws: ``EntityFileError`` where it tells of another encoding than UTF-8.
    mutating func skipByteOrderMark() throws(EntityFileError) {
        if index == filled { try refill() }
        let start = buffer[index..<min(filled, index + 3)]
        if start.elementsEqual([0xEF, 0xBB, 0xBF]) { index += 3 }
        if start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF]) {
            throw .unreadable(path, "it is in UTF-16, not in UTF-8")
        }
    }

    /// Takes what is left of the line, and its end.
    mutating func skipLine() throws(EntityFileError) {
        while let byte = try next(), byte != UInt8(ascii: "\n") {}
    }

    private mutating func refill() throws(EntityFileError) {
        var count: Int
        repeat { count = Glibc.read(descriptor, &buffer, buffer.count) } while count < 0 && errno == EINTR
        guard count >= 0 else { throw .unreadable(path, Self.reason(errno)) }
        index = 0
        filled = count
    }

    private static func descriptor(of path: String) throws(EntityFileError) -> CInt {
        // To open a pipe would wait for its writer.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(opening: path) }
        if let reason = refusal(of: descriptor) {
            close(descriptor)
            throw .unreadable(path, reason)
        }
        return descriptor
    }

    private static func failure(opening path: String) -> EntityFileError {
        switch errno {
        case ENOENT: .missing(path)
        // What a socket answers.
        case ENXIO: .unreadable(path, "it is not a regular file")
        default: .unreadable(path, reason(errno))
        }
    }

    /// Why the file is not read: what has no end, or no writer, would hold the caller for ever.
    private static func refusal(of descriptor: CInt) -> String? {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return reason(errno) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return nil
        case S_IFDIR: return "it is a folder"
        default: return "it is not a regular file"
        }
    }

    /// The system's words for an error number: "No space left on device".
    static func reason(_ number: CInt) -> String {
        String(cString: strerror(number))
    }
}
