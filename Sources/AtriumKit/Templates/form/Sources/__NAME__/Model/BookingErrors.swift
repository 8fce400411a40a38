import AtriumKit

extension ServiceError {
    static let bookingIsBeingSent = ServiceError("isBeingSent", "The booking is being sent already.")
}
