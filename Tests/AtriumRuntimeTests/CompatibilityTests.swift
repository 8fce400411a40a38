@_spi(Host) import AtriumKit
import AtriumManifest
import Testing

@testable import AtriumLibraries
@testable import AtriumModules

@Suite("Checking the SDK and compiler that a library was built with")
struct CompatibilityTests {
    private let host = SDKVersion.current

    private func refusal(_ json: String, form: ModuleManifest.Form = .embedded) throws -> ModuleError? {
        let manifest = try manifest(json, form: form)
        return #expect(throws: ModuleError.self) { try Compatibility.check(manifest) }
    }

    @Test("The host's own SDK and compiler are accepted")
    func good() throws {
        #expect(throws: Never.self) { try Compatibility.check(try manifest(manifestJSON())) }
    }

    @Test("Each version from the oldest one on is accepted")
    func versions() throws {
        let versions = [SDKVersion.oldest, SemanticVersion(0, 5, 9), SDKVersion.current]

        for sdk in versions {
            #expect(throws: Never.self) { try Compatibility.check(try manifest(manifestJSON(sdk: "\(sdk)"))) }
        }

        #expect(versions == versions.sorted())
    }

    @Test("A newer SDK, another major version, or one before the oldest is refused with both versions")
    func otherSDK() throws {
        for version in ["\(host.major).\(host.minor + 1).0", "\(host.major + 1).0.0", "0.4.9"] {
            let error = try refusal(manifestJSON(sdk: version))

            #expect(error?.code == .incompatible)
            #expect(
                error?.message
                    == "Module 'Catalog' was built against AtriumKit \(version), this host has \(host).")
            #expect(error?.hint == "Build it against AtriumKit \(host).")
        }
    }

    @Test("A different layout of AtriumKit's inlined code is refused with both numbers")
    func otherLayout() throws {
        let error = try refusal(manifestJSON(inlinedLayout: 0))

        #expect(error?.code == .incompatible)
        #expect(
            error?.message
                == "Module 'Catalog' was built with layout 0 of AtriumKit's inlined code, this host has layout "
                + "\(SDKVersion.inlinedLayout).")
        #expect(error?.hint == "Build it against this host's AtriumKit.")
    }

    @Test("A different compiler is refused with both versions")
    func otherCompiler() throws {
        let error = try refusal(manifestJSON(compiler: "5.10"))

        #expect(error?.code == .incompatible)
        #expect(
            error?.message
                == "Module 'Catalog' was built by Swift 5.10, this host by Swift \(HostCompiler.version).")
        #expect(error?.hint == "Build it with Swift \(HostCompiler.version).")
    }

    @Test("A manifest without an SDK version is refused")
    func noStamps() throws {
        let json =
            #"{"name": "Catalog", "version": "1.0.0", "entry": "CatalogModule", "summary": "For tests"}"#

        let error = try refusal(json, form: .authored)

        #expect(
            error?.message
                == "Module 'Catalog' was built against AtriumKit of an unknown version, this host has \(host)."
        )
    }
}
