extension ModuleRegistry {
    /// Registers what is there only while a module is, one of those in `"uses"` of the manifest.
    ///
    /// ```swift
    /// registry.whilePresent("Rates") {
    ///     registry.viewModel(OfferViewModel.self) { OfferViewModel(rate: try $0.useCase(named: "rate")) }
    ///     registry.screen(OfferDestination.self) { OfferView(viewModel: try $0.viewModel()) }
    /// }
    /// ```
    ///
    /// Without the module, or with a version that does not fit, none of it is registered: a screen has no link,
    /// and its link says why. The factories look up what the module registers as if it were required.
    public func whilePresent(_ module: String, _ register: () throws -> Void) rethrows {
        try bind(to: module, register)
    }

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
