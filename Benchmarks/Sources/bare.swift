import Glibc

/// What starting three modules costs without a host: opens each library, calls its entry, on the main thread.
///
/// Usage: bare [--wait] LIBRARY…; with `--wait` it stays until its standard input ends.
typealias Entry = @convention(c) (UnsafeMutableRawPointer) -> Void

/// Room for any optional existential: five words at most, zero for nil.
let roomForModule = 64

var libraries = CommandLine.arguments.dropFirst()
let waits = libraries.first == "--wait"
if waits { libraries.removeFirst() }

for library in libraries {
    guard let handle = dlopen(library, RTLD_NOW | RTLD_LOCAL) else { fail(String(cString: dlerror())) }
    guard let symbol = dlsym(handle, "atrium_module_create") else { fail("\(library) has no entry") }
    let module = UnsafeMutableRawPointer.allocate(byteCount: roomForModule, alignment: 16)
    module.initializeMemory(as: UInt8.self, repeating: 0, count: roomForModule)
    unsafeBitCast(symbol, to: Entry.self)(module)
    guard module.load(as: UInt.self) != 0 else { fail("\(library) made no module") }
}

if waits {
    print("ready")
    fflush(nil)
    var byte: UInt8 = 0
    while read(0, &byte, 1) > 0 {}
}

func fail(_ reason: String) -> Never {
    print("bare: \(reason)")
    exit(1)
}
