import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls'
import type { Awaitable } from './awaitable.ts'
import { pemCertificates } from './pem-certificates.ts'
import { type Steps, startInTurns } from './steps.ts'
import { endTurn } from './turn.ts'

/** More authorities than these are parsed in turns of their own. */
const FEW = 16

/**
 * The context of an agent's connections. Node creates one for each connection, which takes a quarter of a millisecond
 * for each trusted authority.
 */
export class KeptContext {
  #options: SecureContextOptions | undefined
  #context: Awaitable<SecureContext> | undefined

  /**
   * Returns the context of the last connection, or a new one if authorities, certificate or key differ. An agent does
   * not change other options of contexts. Throws for an invalid certificate or key. A promise if there are too many
   * authorities for one turn: a CA bundle that a client sends may have more than a thousand.
   */
  of(options: SecureContextOptions): Awaitable<SecureContext> {
    const last = this.#options
    const isSame = last !== undefined && last.ca === options.ca && last.cert === options.cert && last.key === options.key
    if (isSame && this.#context !== undefined) return this.#context
    const { context, more } = contextOf(options)
    if (more.length > FEW) endTurn()
    this.#context = more.length === 0 ? context : startInTurns(trustInSteps(context, more))
    this.#options = { ca: options.ca, cert: options.cert, key: options.key }
    return this.#context
  }
}

/**
 * Creates a context that trusts the first authority. Returns the other ones, each once. Without any authority, Node
 * would trust those of the system as well as those that are added.
 */
function contextOf(options: SecureContextOptions): { readonly context: SecureContext; readonly more: readonly string[] } {
  const authorities = [options.ca ?? []].flat().flatMap(pem => pemCertificates(pem.toString()))
  const [first, ...more] = new Set(authorities)
  return { context: createSecureContext(first === undefined ? options : { ...options, ca: first }), more }
}

/**
 * Adds authorities to those that a context trusts, and returns it. Ones that cannot be parsed are skipped, as in Go.
 */
export function* trustInSteps(secure: SecureContext, authorities: readonly string[]): Steps<SecureContext> {
  // The native context, whose method Node itself calls for each element of the option `ca`.
  const { context }: { readonly context: { addCACert(pem: string): void } } = secure
  for (const authority of authorities) {
    yield
    context.addCACert(authority)
  }
  return secure
}
