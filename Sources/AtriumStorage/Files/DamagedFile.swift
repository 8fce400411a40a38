internal import Glibc

/// Renames damaged state files, so that a new file can take their place and nothing is lost.
package enum DamagedFile {
    /// Renames a file, folder or link to `PATH.damaged`, with a number if that exists already.
    ///
    /// - Returns: The new path; nil, with `errno`, if it can't be renamed.
    package static func rename(_ path: String) -> String? {
        for number in 1...100 {
            let copy = path + (number == 1 ? ".damaged" : ".damaged-\(number)")
            if FileStatus(of: copy, followsLinks: false) != nil { continue }
            return Glibc.rename(path, copy) == 0 ? copy : nil
        }
        errno = EEXIST
        return nil
    }
}
