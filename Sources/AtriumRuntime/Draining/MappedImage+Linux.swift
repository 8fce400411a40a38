internal import Glibc

/// A library, or the executable, as it is mapped in this process.
package struct MappedImage: Hashable, Sendable {
    /// What messages call it; the last component of its path unless the caller knows better.
    package var name: String
    /// The file it was mapped from.
    package let path: String
    /// Its segments in memory, rounded to pages, in order of address.
    package let ranges: [Range<UInt>]
    /// The segments that were mapped writable: its globals, and metadata that the runtime completes.
    let data: [Range<UInt>]

    /// How many bytes of address space its segments take.
    package var bytes: Int { ranges.reduce(0) { $0 + $1.count } }

    /// The image in which `address` lies, of code or of data; nil where none does.
    ///
    /// Only the image that is found is described: the others are as many as the host ever loaded.
    package init?(containing address: UnsafeRawPointer) {
        var search = Search(address: UInt(bitPattern: address))
        withUnsafeMutablePointer(to: &search) { search in
            GlibcFunctions.visitImages(search) { info, _, search in
                guard let search = search?.assumingMemoryBound(to: Search.self),
                    Self.covers(info, search.pointee.address)
                else { return 0 }
                search.pointee.found = MappedImage(info)
                return 1
            }
        }
        guard let image = search.found else { return nil }
        self = image
    }

    private struct Search {
        let address: UInt
        var found: MappedImage?
    }

    /// Whether a segment of the image that a `dl_phdr_info` describes has the address in it.
    private static func covers(_ info: UnsafeRawPointer, _ address: UInt) -> Bool {
        guard let headers = info.load(fromByteOffset: 16, as: UnsafeRawPointer?.self) else { return false }
        let base = info.load(as: UInt.self)
        return (0..<Int(info.load(fromByteOffset: 24, as: UInt16.self))).contains { index in
            let header = headers + index * 56
            let start = base &+ header.load(fromByteOffset: 16, as: UInt.self)
            return header.load(as: UInt32.self) == 1 && address >= start
                && address - start < header.load(fromByteOffset: 40, as: UInt.self)
        }
    }

    /// The image that was loaded from `path`, which is the path given to the loader.
    package init?(path: String) {
        guard let image = Self.loaded.first(where: { $0.path == path }) else { return nil }
        self = image
    }

    /// Whether the address lies in one of the segments.
    package func contains(_ address: UInt) -> Bool {
        ranges.contains { $0.contains(address) }
    }

    /// Every image that is loaded now.
    package static var loaded: [MappedImage] {
        var images: [MappedImage] = []
        withUnsafeMutablePointer(to: &images) { images in
            GlibcFunctions.visitImages(images) { info, _, images in
                if let image = MappedImage(info) {
                    images?.assumingMemoryBound(to: [MappedImage].self).pointee.append(image)
                }
                return 0
            }
        }
        return images
    }

    /// Reads a `dl_phdr_info`, and the program headers (System V ABI, chapter 5) that it points to.
    private init?(_ info: UnsafeRawPointer) {
        let base = info.load(as: UInt.self)
        let name =
            info.load(fromByteOffset: 8, as: UnsafePointer<CChar>?.self).map { String(cString: $0) } ?? ""
        guard let headers = info.load(fromByteOffset: 16, as: UnsafeRawPointer?.self) else { return nil }
        var ranges: [Range<UInt>] = []
        var data: [Range<UInt>] = []
        for index in 0..<Int(info.load(fromByteOffset: 24, as: UInt16.self)) {
            let header = headers + index * 56
            let isLoaded = header.load(as: UInt32.self) == 1
            let isWritable = header.load(fromByteOffset: 4, as: UInt32.self) & 2 != 0
            let start = base &+ header.load(fromByteOffset: 16, as: UInt.self)
            let end = start &+ header.load(fromByteOffset: 40, as: UInt.self)
            guard isLoaded, start < end else { continue }
            ranges.append(Page.start(of: start)..<Page.start(of: end + Page.size - 1))
            if isWritable, end - start >= 16 { data.append((start + 7) & ~7..<end & ~7) }
        }
        // The executable has no name in the loader's list.
        path = name.isEmpty ? FileSystem.linkTarget("/proc/self/exe") ?? "" : name
        self.name = String(path.split(separator: "/").last ?? "")
        self.ranges = ranges.sorted { $0.lowerBound < $1.lowerBound }
        self.data = data
    }
}

/// The unit in which the system maps memory.
enum Page {
    static let size = UInt(sysconf(CInt(_SC_PAGESIZE)))

    static func start(of address: UInt) -> UInt { address & ~(size - 1) }
}
