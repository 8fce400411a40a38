import Glibc

/// Measures loading modules without a host: opens each library and calls its entry on the main thread.
///
/// Usage: bare [--wait] LIBRARY… loads the libraries; with `--wait` it runs until its standard input ends.
///
/// Usage: bare --each reads a path a line, and prints the nanoseconds of reading and digesting the file
/// (BLAKE2b by libsodium, as the host does), and of opening it and calling its entry.
typealias Entry = @convention(c) (UnsafeMutableRawPointer) -> Void
typealias Digest =
    @convention(c) (
        UnsafeMutableRawPointer, Int, UnsafeRawPointer, UInt64, UnsafeRawPointer?, Int
    ) -> CInt

/// Storage for any optional existential: at most five words, zero for nil.
let roomForModule = 64

func enter(_ library: String) {
    guard let handle = dlopen(library, RTLD_NOW | RTLD_LOCAL) else { fail(String(cString: dlerror())) }
    guard let symbol = dlsym(handle, "atrium_module_create") else { fail("\(library) has no entry") }
    let module = UnsafeMutableRawPointer.allocate(byteCount: roomForModule, alignment: 16)
    module.initializeMemory(as: UInt8.self, repeating: 0, count: roomForModule)
    unsafeBitCast(symbol, to: Entry.self)(module)
    guard module.load(as: UInt.self) != 0 else { fail("\(library) made no module") }
}

func digest(_ library: String, with function: Digest) {
    let file = open(library, O_RDONLY)
    var status = stat()
    guard file >= 0, fstat(file, &status) == 0 else { fail("\(library) can't be read") }
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: Int(status.st_size), alignment: 16)
    defer { bytes.deallocate() }
    guard read(file, bytes, Int(status.st_size)) == status.st_size else { fail("\(library) can't be read") }
    close(file)
    withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { result in
        _ = function(result.baseAddress!, 64, bytes, UInt64(status.st_size), nil, 0)
    }
}

func nanoseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

func loadEach() {
    let sodium = dlopen("libsodium.so.23", RTLD_NOW) ?? dlopen("libsodium.so", RTLD_NOW)
    guard let sodium, let symbol = dlsym(sodium, "crypto_generichash") else { fail("There is no libsodium") }
    let function = unsafeBitCast(symbol, to: Digest.self)
    while let library = readLine() {
        let start = nanoseconds()
        digest(library, with: function)
        let middle = nanoseconds()
        enter(library)
        print(middle - start, nanoseconds() - middle)
        fflush(nil)
    }
}

func fail(_ reason: String) -> Never {
    print("bare: \(reason)")
    exit(1)
}

let words = CommandLine.arguments.dropFirst()
switch words.first {
case "--each": loadEach()
case "--wait":
    words.dropFirst().forEach(enter)
    print("ready")
    fflush(nil)
    var byte: UInt8 = 0
    while read(0, &byte, 1) > 0 {}
default: words.forEach(enter)
}
