import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import type { SecureContext } from 'node:tls'
import type { NamedCertificate, TlsMaterial } from './tls-material.ts'

/** Prefix of an IPv4 address on an IPv6 socket. */
const MAPPED = '::ffff:'
const DOMAIN = /^(?:\*|(?:\*\.)?[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*)$/
const LONGEST_DOMAIN = 253

type CertificatePair = Pick<TlsMaterial, 'cert' | 'key'>

interface Candidate {
  readonly certificate: X509Certificate
  readonly context: SecureContext
}

/**
 * Chooses the certificate for a server name (SNI), as crypto/tls does with k8s.io/apiserver's map of names: an exact
 * name before a wildcard, configured names before names in the certificates, and earlier certificates before later
 * ones.
 */
export class NamedCertificates {
  readonly #byName = new Map<string, SecureContext>()
  readonly #ordinary: Candidate
  readonly #candidates: readonly Candidate[]

  /** `ordinary`: certificate for clients that send no server name, or an unknown one. */
  constructor(ordinary: CertificatePair, named: readonly NamedCertificate[], contextOf: (pair: CertificatePair) => SecureContext) {
    const candidateOf = (pair: CertificatePair): Candidate => ({ certificate: new X509Certificate(pair.cert), context: contextOf(pair) })
    this.#ordinary = candidateOf(ordinary)
    this.#candidates = named.map(candidateOf)
    const add = (names: readonly string[], at: number): void => {
      const context = this.#candidates[at]?.context
      if (context) for (const name of names) if (!this.#byName.has(name)) this.#byName.set(name, context)
    }
    for (const [i, { names }] of named.entries()) add(names, i)
    for (const [i, { names }] of named.entries()) if (names.length === 0) add(certificateNames(this.#candidates[i]?.certificate), i)
  }

  /** Returns the certificate for a server name. Addresses are never matched. */
  forName(asked: string): SecureContext {
    const name = asked.toLowerCase()
    const found = this.#byName.get(name) ?? this.#byName.get(name.replace(/^[^.]*/, '*'))
    if (found !== undefined) return found
    const all = [this.#ordinary, ...this.#candidates]
    return (all.find(({ certificate }) => certificate.checkHost(name) !== undefined) ?? this.#ordinary).context
  }

  /**
   * Returns the certificate for a client that sends no server name, by the local address of its connection. Undefined
   * if the ordinary one applies.
   */
  forAddress(address: string): SecureContext | undefined {
    return this.#byName.get(address.startsWith(MAPPED) ? address.slice(MAPPED.length) : address)
  }
}

/**
 * Returns the DNS names of a certificate, and its common name if that is a valid host name. IP addresses are left out:
 * clients do not send them as server names.
 */
function certificateNames(certificate: X509Certificate | undefined): string[] {
  const commonName = /^CN=(.*)$/m.exec(certificate?.subject ?? '')?.[1] ?? ''
  const isHost = isIP(commonName) === 0 && DOMAIN.test(commonName) && commonName.length <= LONGEST_DOMAIN
  const alternatives = (certificate?.subjectAltName ?? '')
    .split(', ')
    .flatMap(each => (each.startsWith('DNS:') ? [each.slice('DNS:'.length)] : []))
  return [...(isHost ? [commonName] : []), ...alternatives]
}
