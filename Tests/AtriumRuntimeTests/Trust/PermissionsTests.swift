@_spi(Host) import AtriumKit
import Glibc
import TestSupport
import Testing

@testable import AtriumLibraries

@Suite("Detecting files that other users can write")
struct PermissionsTests {
    private let folder = TemporaryFolder()
    private static let user: uid_t = 1000

    private func writers(
        _ mode: mode_t, owner: uid_t = user, group: gid_t = 1000, isFolder: Bool = false
    ) -> Permissions.Writers? {
        Permissions(owner: owner, group: group, mode: mode | (isFolder ? S_IFDIR : S_IFREG))
            .writers(besides: Self.user)
    }

    @Test("Only the user, root or the user's own group can write", arguments: [false, true])
    func nobody(isFolder: Bool) {
        #expect(writers(0o755, isFolder: isFolder) == nil)
        #expect(writers(0o755, group: 100, isFolder: isFolder) == nil)
        #expect(writers(0o775, isFolder: isFolder) == nil)
        #expect(writers(0o755, owner: 0, group: 0, isFolder: isFolder) == nil)
        #expect(writers(0o775, owner: 0, group: 0, isFolder: isFolder) == nil)
    }

    @Test("Another owner counts, whatever the mode", arguments: [0o755, 0o400, 0o1755] as [mode_t])
    func otherOwner(mode: mode_t) {
        #expect(writers(mode, owner: 1001) == .owner(1001))
        #expect(writers(mode, owner: 1001, isFolder: true) == .owner(1001))
    }

    @Test("A writing group counts if others can be in it", arguments: [false, true])
    func group(isFolder: Bool) {
        #expect(writers(0o775, group: 100, isFolder: isFolder) == .group(100))
        #expect(writers(0o775, owner: 0, group: 1000, isFolder: isFolder) == .group(1000))
        #expect(writers(0o775, owner: 1000, group: 0, isFolder: isFolder) == .group(0))
    }

    @Test("Write permission for everyone counts", arguments: [false, true])
    func everybody(isFolder: Bool) {
        #expect(writers(0o757, isFolder: isFolder) == .everybody)
        #expect(writers(0o777, group: 100, isFolder: isFolder) == .everybody)
        #expect(writers(0o602, owner: 0, group: 0, isFolder: isFolder) == .everybody)
    }

    @Test("The sticky bit protects files of a folder; on a file it protects nothing")
    func sticky() {
        #expect(writers(0o1777, owner: 0, group: 0, isFolder: true) == nil)
        #expect(writers(0o1775, group: 100, isFolder: true) == nil)
        #expect(writers(0o1777) == .everybody)
    }

    // MARK: - In the file system

    private func refusal(_ name: String, user: uid_t = geteuid()) throws -> ModuleError? {
        let file = try RandomAccessFile(folder.path(name))
        let route = ResolvedPath(of: file, searchFolders: [folder.path])
        do {
            try Permissions.check(file, at: route, user: user)
            return nil
        } catch {
            return error
        }
    }

    @Test("A library that only its owner can write is accepted, also in a sticky folder")
    func safe() throws {
        folder.write([], to: "libA.so")
        #expect(try refusal("libA.so") == nil)

        chmod(folder.path, 0o1777)

        #expect(try refusal("libA.so") == nil)
    }

    @Test("A library that everyone can write is refused with the command to fix it")
    func writableLibrary() throws {
        let path = folder.write([], to: "lib'A'.so")
        chmod(path, 0o666)

        let error = try refusal("lib'A'.so")

        #expect(error?.code == .writableByOthers)
        #expect(error?.message == "The library '\(path)' can be changed by every user.")
        #expect(error?.hint == #"chmod go-w '\#(folder.path)/lib'\''A'\''.so'"#)
    }

    @Test("A library in a folder that everyone can write is refused")
    func writableFolder() throws {
        folder.write([], to: "libA.so")
        chmod(folder.path, 0o777)

        let error = try refusal("libA.so")

        #expect(error?.code == .writableByOthers)
        #expect(
            error?.message
                == "The folder '\(folder.path)', which holds a library, can be changed by every user.")
        #expect(error?.hint == "chmod go-w '\(folder.path)'")
    }

    @Test("For a symbolic link, both its folder and the folder of the library are checked")
    func link() throws {
        mkdir(folder.path("inner"), 0o700)
        folder.write([], to: "inner/libA.so")
        symlink("inner/libA.so", folder.path("libA.so"))
        #expect(try refusal("libA.so") == nil)

        chmod(folder.path("inner"), 0o777)

        #expect(try refusal("libA.so")?.message.hasPrefix("The folder '\(folder.path("inner"))',") == true)

        chmod(folder.path("inner"), 0o700)
        chmod(folder.path, 0o777)

        #expect(try refusal("libA.so")?.message.hasPrefix("The folder '\(folder.path)',") == true)
    }

    @Test("The permissions are those of the time when the file was opened")
    func opened() throws {
        let path = folder.write([], to: "libA.so")
        chmod(path, 0o666)
        let file = try RandomAccessFile(path)
        chmod(path, 0o600)

        #expect(throws: ModuleError.self) {
            try Permissions.check(file, at: ResolvedPath(of: file, searchFolders: []))
        }
    }

    @Test(
        "A library of another user is refused",
        .enabled(if: geteuid() == 0, "Only root can give a file away."))
    func foreign() throws {
        let path = folder.write([], to: "libA.so")
        chown(path, 1234, 0)

        let error = try refusal("libA.so")

        #expect(error?.code == .writableByOthers)
        #expect(error?.message == "The library '\(path)' belongs to user 1234, who can change it.")
        #expect(
            error?.hint
                == "Check it and make it yours with 'chown', or use a copy of your own.")
        #expect(try refusal("libA.so", user: 1234) == nil)
    }

    @Test(
        "A library that a group of others can write is refused",
        .enabled(if: geteuid() == 0, "Only root can give a file away."))
    func groupWritable() throws {
        let path = folder.write([], to: "libA.so")
        chmod(path, 0o660)
        chown(path, 0, 1234)

        let error = try refusal("libA.so")

        #expect(error?.message == "The library '\(path)' can be changed by every member of group 1234.")
        #expect(error?.hint == "chmod g-w '\(path)'")
    }
}
