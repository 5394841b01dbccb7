/** An object could not be converted by whom its kind leaves that to. The text is for the client. */
export class ConversionError extends Error {
  override readonly name = 'ConversionError'
}
