internal import AtriumKit
package import AtriumStorage
package import AtriumText
package import Glibc

/// The socket in the data folder of a host; only the host's user can use it.
package enum HostSocket {
    package static let fileName = "host.sock"
    private static let newName = "host.sock.new"

    /// Listens in a data folder, replacing a socket that another host left.
    ///
    /// - Throws: ``ShellError`` with code `notServed`.
    package static func listen(in folder: DataFolder) throws(ShellError) -> CInt {
        do throws(SystemError) {
            let socket = try make()
            do throws(SystemError) {
                unlink(folder.path(newName))
                try withAddress(of: newName, in: folder) { address, length throws(SystemError) in
                    // architecture: allow direct-networking, because both ends are processes of this machine
                    guard bind(socket, address, length) == 0 else { throw .current }
                }
                // Until then the umask keeps others out.
                guard chmod(folder.path(newName), 0o600) == 0 else { throw .current }
                // architecture: allow direct-networking, because both ends are processes of this machine
                guard Glibc.listen(socket, 64) == 0 else { throw .current }
                // Once the name is visible, clients can connect.
                guard rename(folder.path(newName), folder.path(fileName)) == 0 else { throw .current }
                return socket
            } catch {
                close(socket)
                throw error
            }
        } catch {
            throw ShellError(
                "notServed",
                "Other processes can't attach to this host: \(folder.path(fileName)): \(error.reason)",
                hint: "Everything else works. Use --data DIR for a folder on a file system that has sockets.")
        }
    }

    package static func remove(from folder: DataFolder) { unlink(folder.path(fileName)) }

    /// Waits for a connection; nil for another user's connection, which is closed.
    package static func accept(_ socket: CInt) throws(SystemError) -> CInt? {
        // architecture: allow direct-networking, because both ends are processes of this machine
        let connection = Glibc.accept(socket, nil, nil)
        guard connection >= 0 else { throw .current }
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        guard peer(of: connection)?.uid == geteuid() else {
            close(connection)
            return nil
        }
        return connection
    }

    /// Connects to the host that serves a folder; nil if none does.
    ///
    /// - Throws: ``ShellError`` with code `otherUser` if the host belongs to another user, `notAttached` if
    ///   no socket can be made.
    package static func connect(to folder: DataFolder) throws(ShellError) -> CInt? {
        let socket: CInt
        do throws(SystemError) { socket = try make() } catch { throw .noSocket(error) }
        do throws(SystemError) {
            try withAddress(of: fileName, in: folder) { address, length throws(SystemError) in
                // architecture: allow direct-networking, because both ends are processes of this machine
                guard Glibc.connect(socket, address, length) == 0 else { throw .current }
            }
        } catch {
            close(socket)
            guard error.number == EACCES || error.number == EPERM else { return nil }
            throw .otherUser(folder.path)
        }
        guard peer(of: socket)?.uid == geteuid() else {
            close(socket)
            throw .otherUser(folder.path)
        }
        return socket
    }

    private static func make() throws(SystemError) -> CInt {
        // architecture: allow direct-networking, because both ends are processes of this machine
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { throw .current }
        return socket
    }

    /// The process at the other end, as the kernel knows it.
    package static func peer(of socket: CInt) -> Peer? {
        var (peer, length) = (Peer(), socklen_t(MemoryLayout<Peer>.size))
        return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 ? peer : nil
    }

    /// Names the socket through a descriptor of its folder: an address holds 107 bytes, a path may be longer.
    private static func withAddress(
        of name: String, in folder: DataFolder,
        _ body: (UnsafePointer<sockaddr>, socklen_t) throws(SystemError) -> Void
    ) throws(SystemError) {
        let descriptor = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .current }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array("/proc/self/fd/\(descriptor)/\(name)".utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        var failure: SystemError?
        withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                do throws(SystemError) {
                    try body(address, socklen_t(MemoryLayout<sockaddr_un>.size))
                } catch { failure = error }
            }
        }
        if let failure { throw failure }
    }
}

/// The process at the other end of a socket: the kernel's `struct ucred`.
package struct Peer {
    package var pid: pid_t = 0
    var uid: uid_t = 0
    var gid: gid_t = 0
}

extension SystemError {
    /// True if the same call may succeed a little later.
    package var passes: Bool { [EMFILE, ENFILE, ENOBUFS, ENOMEM, EINTR, ECONNABORTED].contains(number) }
}

extension ShellError {
    fileprivate static func noSocket(_ error: SystemError) -> ShellError {
        ShellError("notAttached", "Can't create a socket: \(error.reason).")
    }

    fileprivate static func otherUser(_ folder: String) -> ShellError {
        ShellError(
            "otherUser", "The host of \(folder) belongs to another user.",
            hint: "Attach as the user who started it, or use --data DIR for a folder of your own.")
    }
}
