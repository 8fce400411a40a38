import Testing

extension PlantedTests {
    /// The address sanitizer must report `freed` and `leaked`, and not `kept`.
    @Suite struct Memory {
        @Test("Memory that was freed is read")
        func freed() {
            let planted = UnsafeMutablePointer<Int>.allocate(capacity: 1)
            planted.initialize(to: 1)
            planted.deallocate()

            #expect(planted.pointee != 2)
        }

        @Test("Memory that nothing refers to stays allocated")
        func leaked() {
            leakBlocks(count: 100)
        }

        @Test("Memory that is freed after its last use")
        func kept() {
            let planted = UnsafeMutablePointer<Int>.allocate(capacity: 1)
            planted.initialize(to: 1)
            defer { planted.deallocate() }

            #expect(planted.pointee == 1)
        }
    }
}

/// Many, because a register or the stack may still hold the address of one.
@inline(never)
private func leakBlocks(count: Int) {
    for _ in 0..<count { UnsafeMutablePointer<Int>.allocate(capacity: 1_000).initialize(to: 1) }
}
