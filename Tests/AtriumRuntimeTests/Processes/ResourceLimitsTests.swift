import Glibc
import Testing

@testable import AtriumModules

@Suite("Resource limits of a process")
struct ResourceLimitsTests {
    @Test("An allocation beyond the limit fails")
    func memory() async {
        await #expect(processExitsWith: .success) {
            let size = 512 << 20
            let before = malloc(size)
            free(before)

            await PreflightChild.limitMemory(to: 256 << 20)

            #expect(before != nil)
            #expect(malloc(size) == nil)
        }
    }

    @Test("A crash leaves no core file, and limits are not raised")
    func lowering() async {
        await #expect(processExitsWith: .success) {
            await PreflightChild.limitMemory(to: 1 << 30)
            await PreflightChild.limitMemory(to: 1 << 40)

            #expect(limit(CInt(RLIMIT_CORE.rawValue)) == [1, 1])
            #expect(limit(CInt(RLIMIT_DATA.rawValue)) == [1 << 30, 1 << 30])
        }
    }
}

private func limit(_ resource: CInt) -> [rlim_t] {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(resource), &limit)
    return [limit.rlim_cur, limit.rlim_max]
}
