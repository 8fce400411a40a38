internal import Glibc

/// Functions of glibc that its Swift module leaves out, since they are GNU extensions.
enum GlibcFunctions {
    typealias ImageVisitor = @convention(c) (UnsafeRawPointer, Int, UnsafeMutableRawPointer?) -> CInt

    private typealias IterateImages = @convention(c) (ImageVisitor, UnsafeMutableRawPointer?) -> CInt
    private typealias ReadProcess =
        @convention(c) (
            pid_t, UnsafePointer<iovec>, CUnsignedLong, UnsafePointer<iovec>, CUnsignedLong, CUnsignedLong
        ) -> Int
    private typealias MallocInfo = @convention(c) (CInt, OpaquePointer) -> CInt
    private typealias OpenMemory =
        @convention(c) (
            UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, UnsafeMutablePointer<Int>
        ) -> OpaquePointer?
    private typealias CloseFile = @convention(c) (OpaquePointer) -> CInt

    private static let iterateImages = symbol("dl_iterate_phdr", as: IterateImages.self)
    private static let readProcess = symbol("process_vm_readv", as: ReadProcess.self)
    private static let mallocInfo = symbol("malloc_info", as: MallocInfo.self)
    private static let openMemory = symbol("open_memstream", as: OpenMemory.self)
    private static let closeFile = symbol("fclose", as: CloseFile.self)

    /// Calls `visitor` with the `dl_phdr_info` of each loaded image.
    static func visitImages(_ context: UnsafeMutableRawPointer, _ visitor: ImageVisitor) {
        _ = iterateImages?(visitor, context)
    }

    /// Copies memory of this process, wherever it is; what is not mapped ends the copy instead of the process.
    ///
    /// - Returns: How many bytes were copied, in order; −1 where the system does not allow it.
    static func read(_ remote: UnsafeBufferPointer<iovec>, into local: iovec) -> Int {
        guard let readProcess, let start = remote.baseAddress else { return -1 }
        return withUnsafePointer(to: local) {
            readProcess(getpid(), $0, 1, start, CUnsignedLong(remote.count), 0)
        }
    }

    /// What malloc tells of itself, as XML; nil where it can't be had.
    static func describeMalloc() -> String? {
        guard let mallocInfo, let openMemory, let closeFile else { return nil }
        var text: UnsafeMutablePointer<CChar>?
        var length = 0
        guard let file = openMemory(&text, &length) else { return nil }
        let result = mallocInfo(0, file)
        _ = closeFile(file)
        defer { free(text) }
        guard result == 0, let text else { return nil }
        return String(cString: text)
    }

    private static func symbol<Function>(_ name: String, as type: Function.Type) -> Function? {
        dlsym(nil, name).map { unsafeBitCast($0, to: type) }
    }
}
