/** Bytes that are not CBOR, or CBOR that is not accepted. The message is that of fxamacker/cbor, which upstream decodes with, followed by the path in parentheses if there is one. */
export class CborError extends Error {
  override readonly name = 'CborError'
}
