/** Bytes that are not a valid message of the type. */
export class ProtobufError extends Error {
  override readonly name = 'ProtobufError'
  /** Text for clients: upstream's, without a path. */
  readonly fault: string

  constructor(fault: string, { path, ...options }: ProtobufErrorOptions = {}) {
    super(path === undefined ? fault : `${fault} (${path})`, options)
    this.fault = fault
  }
}

interface ProtobufErrorOptions extends ErrorOptions {
  readonly path?: string
}
