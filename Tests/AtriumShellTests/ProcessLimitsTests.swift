import Dispatch
import Glibc
import Testing

@testable import AtriumSession

@Suite struct ProcessLimitsTests {
    @Test("Threads that use the reserve of open files at once leave the limit as it was")
    func reserve() async {
        await #expect(processExitsWith: .success) {
            var former = ProcessLimitsTests.limit
            former.rlim_cur = former.rlim_max - 2
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &former)

            DispatchQueue.concurrentPerform(iterations: 1_000) { _ in
                ProcessLimits.withReserve {
                    // A second use by the same thread neither waits nor restores.
                    ProcessLimits.withReserve {}
                    precondition(ProcessLimitsTests.limit.rlim_cur == ProcessLimitsTests.limit.rlim_max)
                }
            }

            precondition(ProcessLimitsTests.limit.rlim_cur == former.rlim_max - 2)
        }
    }

    private static var limit: rlimit {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return limit
    }
}
