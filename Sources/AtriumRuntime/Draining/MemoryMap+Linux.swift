internal import Glibc

/// The writable memory of this process that no file is behind, as the kernel lists it.
struct MemoryMap {
    /// A mapping.
    struct Region {
        let range: Range<UInt>
        /// `[heap]`, `[stack]`, or empty.
        let label: String
    }

    let regions: [Region]

    /// Reads `/proc/self/maps`.
    init() {
        regions = ProcessFile.text("/proc/self/maps").split(separator: "\n").compactMap(Self.region)
    }

    /// The last stack addresses of the threads that wait in the kernel, and of the calling one.
    ///
    /// The kernel does not tell it of threads that run.
    static var stackPointers: [UInt] {
        ProcessFile.names(in: "/proc/self/task").compactMap { thread in
            let fields = ProcessFile.text("/proc/self/task/\(thread)/syscall").split {
                $0 == " " || $0 == "\n"
            }
            return fields.count < 3 ? nil : UInt(fields[fields.count - 2].dropFirst(2), radix: 16)
        }
    }

    /// A line such as `7f60a000-7f60b000 rw-p 00000000 00:00 0    [stack]`; nil where it is not of interest.
    private static func region(_ line: Substring) -> Region? {
        let fields = line.split(separator: " ")
        guard fields.count >= 5, fields[1] == "rw-p", fields[4] == "0" else { return nil }
        let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
        guard bounds.count == 2, bounds[0] < bounds[1] else { return nil }
        let label = fields.count < 6 || fields[5].hasPrefix("[anon") ? "" : String(fields[5])
        return Region(range: bounds[0]..<bounds[1], label: label)
    }
}

/// Reads what the kernel tells of this process; what can't be read is empty.
enum ProcessFile {
    static func text(_ path: String) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var bytes: [UInt8] = []
        while true {
            let part = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
                count = max(0, Glibc.read(file, buffer.baseAddress, buffer.count))
            }
            guard !part.isEmpty else { return String(decoding: bytes, as: UTF8.self) }
            bytes += part
        }
    }

    static func names(in folder: String) -> [String] {
        guard let listing = opendir(folder) else { return [] }
        defer { closedir(listing) }
        var names: [String] = []
        while let entry = readdir(listing) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }
}
