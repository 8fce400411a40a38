internal import Glibc

/// The bytes of a regular file in order, with line and column; reads 64 KiB at a time.
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

    init(_ path: String) throws(FileError) {
        descriptor = try Self.descriptor(of: path)
        self.path = path
    }

    deinit {
        close(descriptor)
    }

    mutating func peek() throws(FileError) -> UInt8? {
        if index == filled { try refill() }
        return index < filled ? buffer[index] : nil
    }

    mutating func next() throws(FileError) -> UInt8? {
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

    mutating func skipLine() throws(FileError) {
        while let byte = try next(), byte != UInt8(ascii: "\n") {}
    }

    mutating func skipByteOrderMark() throws(FileError) {
        try refill()
        let start = buffer[..<min(filled, 3)]
        if start.elementsEqual([0xEF, 0xBB, 0xBF]) { index += 3 }
        if start.starts(with: [0xFF, 0xFE]) || start.starts(with: [0xFE, 0xFF]) {
            throw .unreadable(
                path, "it is in UTF-16, not in UTF-8",
                hint: "Save it as UTF-8, or: iconv -f UTF-16 -t UTF-8 FILE")
        }
    }

    /// The rest of the line that the next byte belongs to, without its end, and at most 64 KiB of it.
    var lineAhead: ArraySlice<UInt8> { buffer[index..<filled].prefix { $0 != 0x0A && $0 != 0x0D } }

    private mutating func refill() throws(FileError) {
        var count: Int
        repeat { count = Glibc.read(descriptor, &buffer, buffer.count) } while count < 0 && errno == EINTR
        guard count >= 0 else { throw .unreadable(path, FileError.reason(errno)) }
        index = 0
        filled = count
    }

    private static func descriptor(of path: String) throws(FileError) -> CInt {
        // Without O_NONBLOCK, opening a pipe waits for its writer.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT: throw .missing(path)
            // The error for opening a socket.
            case ENXIO: throw .unreadable(path, "it is not a regular file")
            default: throw .unreadable(path, FileError.reason(errno))
            }
        }
        if let reason = refusal(of: descriptor) {
            close(descriptor)
            throw .unreadable(path, reason)
        }
        return descriptor
    }

    /// Returns the reason not to read the file, if any: devices and pipes may never end.
    private static func refusal(of descriptor: CInt) -> String? {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return FileError.reason(errno) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return nil
        case S_IFDIR: return "it is a folder"
        default: return "it is not a regular file"
        }
    }
}
