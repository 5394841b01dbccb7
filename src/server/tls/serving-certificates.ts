import { constants } from 'node:crypto'
import type { Server } from 'node:https'
import { createSecureContext, type SecureContext, type SecureContextOptions, type TlsOptions } from 'node:tls'
import { NamedCertificates } from './named-certificates.ts'
import type { TlsMaterial } from './tls-material.ts'
import { DEFAULT_TLS_POLICY, SECURITY_LEVEL, type TlsPolicy } from './tls-policy.ts'

/**
 * Options of OpenSSL for Go's behaviour: a client certificate is verified once for each connection. Without
 * renegotiation, a client cannot replace it by one that is not verified. Without tickets, a session cannot be resumed
 * with the result of an earlier verification. Node's own session cache is off unless there is a listener for it.
 */
const ONE_VERIFIED_HANDSHAKE = constants.SSL_OP_NO_RENEGOTIATION | constants.SSL_OP_NO_TICKET

/**
 * Returns the cipher list with a security level. TLS before 1.2 needs SHA-1 signatures, which OpenSSL only allows at
 * level 0. A list of TLS 1.3 suites alone cannot have a level.
 */
function withLevel({ ciphers, minVersion }: TlsPolicy): string {
  if (ciphers.split(':').every(name => name.startsWith('TLS_'))) return ciphers
  return `${ciphers}:${minVersion === 'TLSv1' || minVersion === 'TLSv1.1' ? '@SECLEVEL=0' : SECURITY_LEVEL}`
}

/** Certificates and TLS policy of a server's connections. Changes apply to new connections. */
export class ServingCertificates {
  readonly #policy: TlsPolicy
  #material: TlsMaterial
  #named: NamedCertificates | undefined

  constructor(material: TlsMaterial, policy: TlsPolicy = DEFAULT_TLS_POLICY) {
    this.#policy = policy
    this.#material = material
    this.#named = this.#namedOf(material)
  }

  /** Returns the options of a new server. */
  options(): TlsOptions {
    return {
      ...this.#contextOptions(this.#material),
      ...(this.#named && { SNICallback: (name, done) => done(null, this.#named?.forName(name)) }),
    }
  }

  /** Whether any address has its own certificate. */
  get hasAddresses(): boolean {
    return this.#named !== undefined
  }

  forAddress(address: string | undefined): SecureContext | undefined {
    return address === undefined ? undefined : this.#named?.forAddress(address)
  }

  /**
   * Replaces certificates of the servers that were created with these options. Throws if a key does not match its
   * certificate; then nothing changes. Named certificates can be replaced, but not added to a server without any, or
   * removed altogether.
   */
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
