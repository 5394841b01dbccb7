/** Bytes that are not a valid message of the type. */
export class ProtobufError extends Error {
  override readonly name = 'ProtobufError'
  /** Text for clients: upstream's, without a path. Faults that upstream accepts are reported with their path. */
  readonly fault: string
  readonly isOwn: boolean

  constructor(fault: string, { path, isOwn = false, ...options }: ProtobufErrorOptions = {}) {
    super(path === undefined ? fault : `${fault} (${path})`, options)
    this.fault = isOwn ? this.message : fault
    this.isOwn = isOwn
  }
}

interface ProtobufErrorOptions extends ErrorOptions {
  readonly path?: string
  /** Whether upstream does not report this error. */
  readonly isOwn?: boolean
}
