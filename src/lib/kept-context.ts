import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls'

/**
 * The context of an agent's connections. Node creates one for each connection, which takes a quarter of a millisecond
 * for each trusted authority.
 */
export class KeptContext {
  #options: SecureContextOptions | undefined
  #context: SecureContext | undefined

  /**
   * Returns the context of the last connection, or a new one if authorities, certificate or key differ. An agent does
   * not change other options of contexts.
   */
  of(options: SecureContextOptions): SecureContext {
    const last = this.#options
    const isSame = last !== undefined && last.ca === options.ca && last.cert === options.cert && last.key === options.key
    if (isSame && this.#context !== undefined) return this.#context
    this.#context = createSecureContext(options)
    this.#options = { ca: options.ca, cert: options.cert, key: options.key }
    return this.#context
  }
}
