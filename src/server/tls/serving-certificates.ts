import { constants } from 'node:crypto'
import type { Server } from 'node:https'
import { createSecureContext, type SecureContext, type SecureContextOptions, type TlsOptions } from 'node:tls'
import { NamedCertificates } from './named-certificates.ts'
import type { TlsMaterial } from './tls-material.ts'
import { DEFAULT_TLS_POLICY, type TlsPolicy } from './tls-policy.ts'

/**
 * As in Go: a connection keeps the certificate that it was verified with (by renegotiation a client could show another one, which nobody verifies), and every connection
 * shows its own (a resumed session would keep the verdict of an earlier one). Without tickets nothing is left to resume by: Node's cache of sessions is off unless one listens for it.
 */
const ONE_VERIFIED_HANDSHAKE = constants.SSL_OP_NO_RENEGOTIATION | constants.SSL_OP_NO_TICKET

/** TLS before 1.2 needs signatures with SHA-1, which OpenSSL counts as of level 0. */
const withLevel = ({ ciphers, minVersion }: TlsPolicy): string => (minVersion === 'TLSv1' || minVersion === 'TLSv1.1' ? `${ciphers}:@SECLEVEL=0` : ciphers)

/** What the connections of one server are secured with. What changes holds for connections that begin from then on. */
export class ServingCertificates {
  readonly #policy: TlsPolicy
  #material: TlsMaterial
  #named: NamedCertificates | undefined

  constructor(material: TlsMaterial, policy: TlsPolicy = DEFAULT_TLS_POLICY) {
    this.#policy = policy
    this.#material = material
    this.#named = this.#namedOf(material)
  }

  /** For a server that is made. */
  options(): TlsOptions {
    return {
      ...this.#contextOptions(this.#material),
      ...(this.#named && { SNICallback: (name, done) => done(null, this.#named?.forName(name)) }),
    }
  }

  /** Some address has a certificate of its own. */
  get hasAddresses(): boolean {
    return this.#named !== undefined
  }

  forAddress(address: string | undefined): SecureContext | undefined {
    return address === undefined ? undefined : this.#named?.forAddress(address)
  }

  /** For all servers that are made with these. Throws where a key does not belong to its certificate; then all is as before. Named certificates may change, and not come or go altogether. */
  change(servers: readonly Server[], change: Partial<TlsMaterial>): void {
    const material = { ...this.#material, ...change }
    const named = this.#namedOf(material)
    for (const server of servers) server.setSecureContext(this.#contextOptions(material))
    this.#material = material
    this.#named = named
  }

  #namedOf(material: TlsMaterial): NamedCertificates | undefined {
    const { named = [] } = material
    if (named.length === 0) return undefined
    return new NamedCertificates(material, named, pair => createSecureContext(this.#contextOptions({ ...material, ...pair })))
  }

  #contextOptions({ cert, key, clientCa, frontProxyCa }: TlsMaterial): SecureContextOptions {
    const { minVersion, curves } = this.#policy
    return {
      cert,
      key,
      ca: frontProxyCa === undefined ? clientCa : [clientCa, frontProxyCa],
      minVersion,
      ciphers: withLevel(this.#policy),
      ...(curves !== undefined && { ecdhCurve: curves }),
      secureOptions: ONE_VERIFIED_HANDSHAKE,
    }
  }
}
