/**
 * Bytes that are not well-formed CBOR, or CBOR that is not accepted. The message is that of fxamacker/cbor, upstream's
 * library, followed by the path in parentheses if there is one.
 */
export class CborError extends Error {
  override readonly name = 'CborError'
}
