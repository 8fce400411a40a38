extension ModuleRegistry {
    /// True if some registrations are bound to other modules.
    @_spi(Host) public var isBound: Bool { !boundTo.isEmpty }

    /// The registered screens, in order, without those that are absent.
    @_spi(Host) public var screens: [ScreenRegistration] { screens(with: present) }

    /// The screens while some of the modules that they are bound to are present.
    @_spi(Host) public func screens(with present: Set<String>) -> [ScreenRegistration] {
        isBound ? declaredScreens.filter { present.isSuperset(of: $0.needs) } : declaredScreens
    }

    /// The screens that are absent, because a module that they are bound to is.
    @_spi(Host) public var absentScreens: [ScreenRegistration] {
        isBound ? declaredScreens.filter { !has($0.needs) } : []
    }

    /// The registrations, without those that are absent.
    var registrations: [Registration] { registrations(with: present) }

    func has(_ needs: [String]) -> Bool { present.isSuperset(of: needs) }
}
