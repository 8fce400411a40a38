import Glibc
import MainQueue

/// Runs libFuzzer, with its arguments, on the target that the variable `ATRIUM_FUZZ` names.
///
/// On a thread of its own, so that the main actor stays free.
@main
enum Driver {
    nonisolated(unsafe) static var target: FuzzTarget?

    static func main() {
        let name = getenv("ATRIUM_FUZZ").map { String(cString: $0) }
        guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
            print("ATRIUM_FUZZ names a target: \(FuzzTarget.all.map(\.name).joined(separator: ", "))")
            exit(64)
        }
        // Set once, before the thread starts.
        self.target = target
        startThread()
        MainQueue.run()
    }

    private nonisolated static func startThread() {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setstacksize(&attributes, 64 << 20)
        var thread = pthread_t()
        pthread_create(
            &thread, &attributes,
            { _ in
                var (count, arguments) = (CommandLine.argc, CommandLine.unsafeArgv)
                exit(runFuzzer(&count, &arguments, Driver.read))
            }, nil)
    }

    private nonisolated static let read: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt = {
        start, count in
        do {
            try target?.read(Array(UnsafeBufferPointer(start: start, count: count)))
        } catch {
            let text = "broken rule: \(error)\n"
            write(STDERR_FILENO, text, text.utf8.count)
            abort()
        }
        return 0
    }
}

/// libFuzzer's entry for programs with a `main` of their own.
@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ read: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt
