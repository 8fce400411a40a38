import Glibc
import Testing

@testable import AtriumRuntime

@Suite("Resource limits of a process")
struct ResourceLimitsTests {
    @Test("An allocation beyond the limit fails")
    func memory() async {
        await #expect(processExitsWith: .success) {
            let size = 512 << 20
            let before = malloc(size)
            free(before)

            ResourceLimits(data: 256 << 20).applyToSelf()

            #expect(before != nil)
            #expect(malloc(size) == nil)
        }
    }

    @Test("Processor time beyond the limit ends the process, even if it ignores SIGXCPU")
    func processor() async {
        await #expect(processExitsWith: .signal(SIGXCPU)) {
            ResourceLimits(processorSeconds: 1).applyToSelf()
            while true {}
        }
        await #expect(processExitsWith: .signal(SIGKILL)) {
            signal(SIGXCPU, SIG_IGN)
            ResourceLimits(processorSeconds: 1).applyToSelf()
            while true {}
        }
    }

    @Test("Core files are disabled, and limits are never raised")
    func lowering() async {
        await #expect(processExitsWith: .success) {
            ResourceLimits(data: 1 << 30, processorSeconds: 50).applyToSelf()
            ResourceLimits(data: 1 << 40, processorSeconds: 5000).applyToSelf()

            #expect(limit(CInt(RLIMIT_CORE.rawValue)) == [1, 1])
            #expect(limit(CInt(RLIMIT_DATA.rawValue)) == [1 << 30, 1 << 30])
            #expect(limit(CInt(RLIMIT_CPU.rawValue)) == [50, 51])
        }
    }
}

private func limit(_ resource: CInt) -> [rlim_t] {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(resource), &limit)
    return [limit.rlim_cur, limit.rlim_max]
}
