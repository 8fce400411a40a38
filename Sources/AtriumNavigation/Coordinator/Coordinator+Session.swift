@_spi(Host) package import AtriumKit

extension Coordinator: NavigationStack {
    /// The places on the stack.
    package var path: NavigationPath {
        NavigationPath(state.entries.map(\.link))
    }

    /// Lets a session mirror the places of this stack, and move it.
    package func mirror(in session: SessionManager) {
        self.session = session
        session.mirror(self)
    }

    package func go(to path: NavigationPath) {
        let former = requested
        requested = Task { [weak self] in
            await former?.value
            guard let self, self.path != path else { return }
            do {
                try await replaceAll(with: path.links)
            } catch {
                reportError?(error)
            }
        }
    }

    /// Waits for navigations that the session asked for.
    package func settle() async {
        while let task = requested {
            await task.value
            if requested == task { requested = nil }
        }
    }
}
