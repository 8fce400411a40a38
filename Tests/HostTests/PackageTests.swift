import Foundation
import Testing

/// Makes the package for Debian of the built host; `make test-package` installs it in a system of its own.
@Suite("The package for Debian")
final class PackageTests {
    private let folder: URL

    init() throws {
        folder = try Project.temporaryFolder()
    }

    deinit {
        Project.remove(folder)
    }

    /// Makes the packages in a folder of this name, without waiting for their compression.
    private func make(_ name: String) throws -> [URL] {
        let place = folder.appending(path: name)
        let run = try make(
            in: place,
            ["SOURCE_DATE_EPOCH": "1767225600", "DEBFULLNAME": "Ada", "DEBEMAIL": "ada@example.com"])
        #expect(run.status == 0, "\(run.output)")
        let files = try FileManager.default.contentsOfDirectory(atPath: place.path).sorted()
        #expect(run.output.split(separator: "\n").sorted() == files.map { "Made \(place.path)/\($0)." })
        return files.map { place.appending(path: $0) }
    }

    private func make(in place: URL, _ environment: [String: String]) throws -> ProgramRun {
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
        return try ProgramRun.run(
            Project.root.appending(path: "Sources/atrium/Installed/package").path,
            [Project.host.path, Project.sdk.path, place.path],
            environment: environment.merging(["DPKG_DEB_COMPRESSOR_TYPE": "none"]) { $1 })
    }

    private func output(_ program: String, _ arguments: String..., in folder: URL? = nil) throws -> String {
        let run = try ProgramRun.run("/usr/bin/env", [program] + arguments, in: folder)
        #expect(run.status == 0, "\(run.output)")
        return run.output
    }

    @Test("The same build gives the same bytes, with all that the host needs")
    func packages() throws {
        let packages = try make("first")
        let again = try make("second")

        #expect(try packages.map { try Data(contentsOf: $0) } == again.map { try Data(contentsOf: $0) })
        try #require(packages.count == 2)
        try expectSymbols(in: packages[0])
        try expectControl(of: packages[1])
        try expectFiles(of: packages[1])
        try expectHostRuns(from: packages[1])
    }

    private func expectSymbols(in package: URL) throws {
        #expect(package.lastPathComponent.hasPrefix("atrium-dbgsym_"))
        let version = try output("dpkg-deb", "--field", package.path, "Version").dropLast()
        #expect(try output("dpkg-deb", "--field", package.path, "Depends") == "atrium (= \(version))\n")
        let ids = try output("dpkg-deb", "--field", package.path, "Build-Ids").split { $0.isWhitespace }
        let contents = try output("dpkg-deb", "--contents", package.path)
        #expect(ids.count == 7)
        for id in ids {
            let file = "/usr/lib/debug/.build-id/\(id.prefix(2))/\(id.dropFirst(2)).debug\n"
            #expect(contents.contains(file), "\(contents)")
        }
    }

    private func expectControl(of package: URL) throws {
        func field(_ name: String) throws -> String {
            try output("dpkg-deb", "--field", package.path, name).trimmingCharacters(in: .newlines)
        }
        let version = try output(Project.release.appending(path: "atrium").path, "--version")

        #expect(try version.hasPrefix("atrium \(field("Version").dropLast(2)), "))
        #expect(try field("Maintainer") == "Ada <ada@example.com>")
        // Some of Debian's packages have the suffix since their times have 64 bits everywhere.
        let needed = try field("Depends").split(separator: ", ").map {
            $0.prefix { $0 != " " }.replacing("t64", with: "")
        }
        #expect(
            needed.sorted() == [
                "libc6", "libcurl4", "libgcc-s1", "libpq5", "libsodium23", "libsqlite3-0",
                "libstdc++6",
            ])
        #expect(try output("apt-get", "install", "--simulate", package.path).contains("Inst atrium "))
    }

    private func expectFiles(of package: URL) throws {
        let lines = try output("dpkg-deb", "--contents", package.path).split(separator: "\n")
            .map { $0.split(separator: " ", omittingEmptySubsequences: true) }
        let files = lines.filter { !$0[0].hasPrefix("d") }.map { String($0[5]) }
        let parts = ["./usr/lib/atrium/", "./usr/share/atrium/sdk/"]

        #expect(
            files.filter { file in !parts.contains { file.hasPrefix($0) } }.sorted() == [
                "./usr/bin/atrium", "./usr/share/atrium/modules.json",
                "./usr/share/bash-completion/completions/atrium",
                "./usr/share/doc/atrium/Documentation", "./usr/share/doc/atrium/Examples",
                "./usr/share/doc/atrium/README.md", "./usr/share/doc/atrium/changelog.Debian.gz",
                "./usr/share/doc/atrium/changelog.gz", "./usr/share/doc/atrium/copyright",
                "./usr/share/fish/vendor_completions.d/atrium.fish", "./usr/share/lintian/overrides/atrium",
                "./usr/share/man/man1/atrium.1.gz", "./usr/share/zsh/vendor-completions/_atrium",
            ])
        #expect(lines.allSatisfy { $0[1] == "root/root" })
        let modes = Set(lines.map { String($0[0]) })
        #expect(modes.isSubset(of: ["drwxr-xr-x", "-rwxr-xr-x", "-rw-r--r--", "lrwxrwxrwx"]), "\(modes)")
        let dates = Set(lines.map { String($0[3]) })
        #expect(dates == ["2026-01-01"])
    }

    private func expectHostRuns(from package: URL) throws {
        let root = folder.appending(path: "root")
        _ = try output("dpkg-deb", "--raw-extract", package.path, root.path)

        _ = try output("md5sum", "--check", "--quiet", "DEBIAN/md5sums", in: root)
        let host = root.appending(path: "usr/bin/atrium").path
        #expect(
            try output(host, "--paths").contains("Modules        \(root.path)/usr/lib/atrium/modules\n"))
        let modules = try output(
            "env", "-u", "LD_LIBRARY_PATH", host, "--data", folder.appending(path: "data").path, "--json",
            "-c", "modules", in: folder)
        #expect(modules.components(separatedBy: #""state":"active""#).count == 4, "\(modules)")
    }

    @Test("Without a commit it says what to set")
    func noCommit() throws {
        let place = folder.appending(path: "none")

        let run = try make(
            in: place, ["GIT_DIR": "/nowhere", "SOURCE_DATE_EPOCH": "", "DEBFULLNAME": "", "DEBEMAIL": ""])

        #expect(
            run.output == "package: there is no commit; set SOURCE_DATE_EPOCH, DEBFULLNAME and DEBEMAIL\n")
        #expect(run.status == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == [])
    }
}
