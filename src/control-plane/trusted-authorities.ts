import type { X509Certificate } from 'node:crypto'
import type { Authenticator } from '../auth/authn/authenticator.ts'
import { clientCertificate } from '../auth/authn/client-certificate.ts'
import { anchors, PresentedCertificates } from '../auth/authn/presented-certificates.ts'
import { isFieldOf, type RequestHeaderNames, requestHeader } from '../auth/authn/request-header.ts'
import type { AccessConfig, AccessGroups } from '../config/access-config.ts'
import type { RequestHeaderConfig } from '../config/auth-config.ts'
import type { ClusterTrust } from '../controllers/cluster-trust.ts'
import type { HistogramChild } from '../lib/metrics.ts'
import type { Authorities } from '../server/tls/authorities.ts'

/** Trusted client CAs. They change with their files. */
export class TrustedAuthorities {
  #authorities: Authorities = { clients: [], frontProxies: [] }
  #changes = 0
  readonly #requestHeader: RequestHeaderConfig | undefined

  constructor(config: RequestHeaderConfig | undefined) {
    this.#requestHeader = config
  }

  change(authorities: Authorities): void {
    this.#authorities = authorities
    this.#changes++
  }

  /**
   * CAs of users. Undefined while TLS verified every open connection with exactly these, so that certificates need no
   * second check.
   */
  clients(): readonly X509Certificate[] | undefined {
    return this.#changes > 1 || this.#requestHeader ? this.#authorities.clients : undefined
  }

  /** CAs of users and front proxies. TLS verifies client certificates with them. */
  all(): readonly X509Certificate[] {
    return [...this.#authorities.clients, ...this.#authorities.frontProxies]
  }

  frontProxies(): readonly X509Certificate[] {
    return this.#authorities.frontProxies
  }

  trust(): ClusterTrust {
    const { clients, frontProxies } = this.#authorities
    return { clients, ...(this.#requestHeader && { requestHeader: { ...this.#requestHeader, authorities: frontProxies } }) }
  }
}

/** Authenticators of client certificates. Front proxies come first, as upstream. */
export function certificateAuthenticators(
  { access: { requestHeader: config }, release: { gates } }: AccessGroups,
  trusted: TrustedAuthorities,
  now: () => number,
  expirations: HistogramChild,
): Authenticator[] {
  const certificates = new PresentedCertificates(gates.enabled('AllowParsingUserUIDFromCertAuth'), () => trusted.all())
  const users = clientCertificate(now, () => trusted.clients(), expirations, certificates)
  if (!config) return [users]
  const stands = anchors(() => trusted.frontProxies())
  return [requestHeader({ names: headerNames(config), allowedNames: config.allowedNames, certificates, stands, now }), users]
}

const headerNames = ({
  usernameHeaders: username,
  uidHeaders: uid,
  groupHeaders: group,
  extraHeaderPrefixes: extraPrefixes,
}: RequestHeaderConfig): RequestHeaderNames => ({
  username,
  uid,
  group,
  extraPrefixes,
})

/**
 * Reports whether a header is one that front proxies set, beyond the standard ones. Undefined if no front proxy is
 * configured.
 */
export const fieldsOfFrontProxies = ({ requestHeader: config }: AccessConfig): ((field: string) => boolean) | undefined =>
  config && isFieldOf(headerNames(config))
