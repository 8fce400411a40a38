import Glibc
import Synchronization

/// Crashes in the named way, from within a few calls.
@_cdecl("wrecker_crash")
public func crash(_ way: UnsafePointer<CChar>) {
    Wreck().happen(String(cString: way))
}

private let hangs = Atomic(false)

/// Whether a call hangs now.
@_cdecl("wrecker_hangs")
public func isHanging() -> Bool {
    hangs.load(ordering: .acquiring)
}

struct Wreck {
    @inline(never)
    func happen(_ way: String) {
        switch way {
        case "trap": trap([1, 2, 3], at: way.utf8.count + 3)
        case "fatal": fatalError("as it was told")
        case "null": null()
        case "jump": jump()
        case "overflow": print(overflow(way.utf8.count))
        case "abort": callAbort()
        case "exit": callExit()
        case "_exit": _exit(0)
        case "hang": hang()
        case "divide": divide()
        case "smash": smash()
        case "qsort": sortAndTrap()
        default: break
        }
    }

    @inline(never)
    func trap(_ numbers: [Int], at index: Int) {
        print(numbers[index])
    }

    @inline(never)
    func null() {
        UnsafeMutablePointer<Int>(bitPattern: 16)?.pointee = 1
    }

    /// Calls an address without code.
    @inline(never)
    func jump() {
        unsafeBitCast(UInt(4096), to: (@convention(c) () -> Void).self)()
        print("came back")
    }

    @inline(never)
    func overflow(_ depth: Int) -> Int {
        depth < 0 ? 0 : overflow(depth + 1) + depth % 7
    }

    @inline(never)
    func callAbort() {
        abort()
    }

    @inline(never)
    func callExit() {
        exit(0)
    }

    @inline(never)
    func hang() {
        hangs.store(true, ordering: .releasing)
        while getpid() > 0 {}
    }

    @inline(never)
    func divide() {
        kill(getpid(), SIGFPE)
    }

    /// Overwrites the stack frames of its callers.
    @inline(never)
    func smash() {
        var word = UInt(getpid())
        withUnsafeMutablePointer(to: &word, overwrite)
        precondition(word != 0)
    }

    @inline(never)
    func overwrite(_ start: UnsafeMutablePointer<UInt>) {
        for index in 0..<512 { (start + index).pointee = UInt(0xDEAD_BEEF_0000) + UInt(getpid()) }
    }

    /// Traps in a closure that the C library calls.
    @inline(never)
    func sortAndTrap() {
        var numbers: [CInt] = [3, 1, 2]
        qsort(&numbers, 3, 4) { left, right in
            Wreck().trap([1], at: Int(left!.load(as: CInt.self) + right!.load(as: CInt.self)))
            return 0
        }
    }
}

/// Crashes in an asynchronous function that another one awaits.
public func crashLater() async {
    await Wreck().wait()
    print("came back")
}

extension Wreck {
    @inline(never)
    func wait() async {
        await Task.yield()
        trap([1, 2], at: Int(getpid()))
    }
}

@_cdecl("wrecker_crash_later")
public func startCrash() {
    Task.detached { await crashLater() }
    sleep(60)
}
