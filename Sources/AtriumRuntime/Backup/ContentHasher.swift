internal import CSodium

/// Computes a ``ContentDigest`` piece by piece.
struct ContentHasher {
    // libsodium wants the state at an address of 64 bytes' alignment, and says its size.
    private let state: UnsafeMutableRawPointer

    init() {
        state = .allocate(byteCount: crypto_generichash_statebytes(), alignment: 64)
        _ = crypto_generichash_init(OpaquePointer(state), nil, 0, ContentDigest.byteCount)
    }

    func add(_ bytes: [UInt8]) {
        _ = crypto_generichash_update(OpaquePointer(state), bytes, UInt64(bytes.count))
    }

    /// Ends the computation; the hasher can't be used any more.
    func finish() -> String {
        defer { state.deallocate() }
        var digest = [UInt8](repeating: 0, count: ContentDigest.byteCount)
        _ = crypto_generichash_final(OpaquePointer(state), &digest, digest.count)
        return ContentDigest(bytes: digest).description
    }
}
