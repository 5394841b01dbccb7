/** Bytes that are not a message of the type. The message is that of upstream's generated code where it is known. */
export class ProtobufError extends Error {
  override readonly name = 'ProtobufError'
}
