import Glibc
import Testing

@testable import AtriumRuntime

@Suite("Images mapped in this process")
struct MappedImageTests {
    @Test("An image is found by an address in it and by its path")
    func found() throws {
        let address = try #require(dlsym(nil, "swift_retain"))
        let image = try #require(MappedImage(containing: address))

        #expect(image.name == "libswiftCore.so")
        #expect(MappedImage(path: image.path) == image)
        #expect(image.contains(UInt(bitPattern: address)))
    }

    @Test("Its ranges are whole pages, in order, and its bytes their sum")
    func ranges() throws {
        let image = try #require(MappedImage(containing: #dsohandle))

        #expect(image.ranges.allSatisfy { ($0.lowerBound | $0.upperBound) % Page.size == 0 })
        #expect(zip(image.ranges, image.ranges.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound })
        #expect(image.bytes == image.ranges.map(\.count).reduce(0, +))
        #expect(!image.contains(image.ranges[0].lowerBound - 1))
    }

    @Test("The heap and unknown paths are of no image")
    func absent() throws {
        let block = try #require(malloc(16))
        defer { free(block) }

        #expect(MappedImage(containing: block) == nil)
        #expect(MappedImage(path: "/nowhere") == nil)
    }
}
