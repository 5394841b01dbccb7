/** Bytes that are not a message of the type. */
export class ProtobufError extends Error {
  override readonly name = 'ProtobufError'
  /** Text for clients: that of upstream's generated code, which names no path. Faults that upstream lets pass are reported with their path. */
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
  /** Whether upstream has no such error. */
  readonly isOwn?: boolean
}
