import type { X509Certificate } from 'node:crypto'
import type { Authenticator } from '../auth/authn/authenticator.ts'
import { clientCertificate } from '../auth/authn/client-certificate.ts'
import { isFieldOf, type RequestHeaderNames, requestHeader } from '../auth/authn/request-header.ts'
import { anchors, ShownCertificates } from '../auth/authn/shown-certificates.ts'
import type { RequestHeaderConfig } from '../config/auth-config.ts'
import type { Config } from '../config/config.ts'
import type { ClusterTrust } from '../controllers/cluster-trust.ts'
import type { HistogramChild } from '../lib/metrics.ts'
import type { Authorities } from '../server/tls/authorities.ts'

/** Whose certificates are believed now: it changes with the files. */
export class BelievedAuthorities {
  private authorities: Authorities = { clients: [], frontProxies: [] }
  private changes = 0
  private readonly requestHeader: RequestHeaderConfig | undefined

  constructor(config: RequestHeaderConfig | undefined) {
    this.requestHeader = config
  }

  change(authorities: Authorities): void {
    this.authorities = authorities
    this.changes++
  }

  /** Of users. Undefined while they are all by which TLS verifies: connections need not be looked at again. */
  clients(): readonly X509Certificate[] | undefined {
    return this.changes > 1 || this.requestHeader ? this.authorities.clients : undefined
  }

  /** Authorities of users and front proxies. TLS verifies client certificates by them. */
  all(): readonly X509Certificate[] {
    return [...this.authorities.clients, ...this.authorities.frontProxies]
  }

  frontProxies(): readonly X509Certificate[] {
    return this.authorities.frontProxies
  }

  trust(): ClusterTrust {
    const { clients, frontProxies } = this.authorities
    return { clients, ...(this.requestHeader && { requestHeader: { ...this.requestHeader, authorities: frontProxies } }) }
  }
}

/** Front proxies first, as upstream asks them. */
export function certificateAuthenticators(
  { requestHeader: config, gates }: Config,
  believed: BelievedAuthorities,
  now: () => number,
  expirations: HistogramChild,
): Authenticator[] {
  const certificates = new ShownCertificates(gates.enabled('AllowParsingUserUIDFromCertAuth'), () => believed.all())
  const users = clientCertificate(now, () => believed.clients(), expirations, certificates)
  if (!config) return [users]
  const stands = anchors(() => believed.frontProxies())
  return [requestHeader({ names: namesOf(config), allowedNames: config.allowedNames, certificates, stands, now }), users]
}

const namesOf = ({
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

/** Fields that speak of users between a front proxy and this server, besides the standard ones. Undefined where there are none. */
export const fieldsOfFrontProxies = ({ requestHeader: config }: Config): ((field: string) => boolean) | undefined => config && isFieldOf(namesOf(config))
