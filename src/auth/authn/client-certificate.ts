import type { X509Certificate } from 'node:crypto'
import type { HistogramChild } from '../../lib/metrics.ts'
import type { Authenticator } from './authenticator.ts'
import { anchors, ShownCertificates } from './shown-certificates.ts'

/**
 * The common name of a client's certificate is its user, the organizations are its groups
 * (https://kubernetes.io/docs/reference/access-authn-authz/authentication/#x509-client-certificates). TLS has verified the chain when the connection was made. Whether every certificate
 * of the chain is still valid is asked with each request, and whenever `authorities` gives others, whether they still stand for it. Undefined: they are those by which TLS has verified it.
 * `expirations`: where the seconds that certificates have left are counted.
 */
export function clientCertificate(
  now: () => number,
  authorities: () => readonly X509Certificate[] | undefined = () => undefined,
  expirations?: HistogramChild,
  certificates = new ShownCertificates(),
): Authenticator {
  const stands = anchors(authorities)
  return ({ socket }) => {
    const shown = certificates.of(socket)
    if (shown === 'none') return undefined
    if (shown === 'unverified') return 'rejected'
    if (shown.user === undefined) return undefined
    const time = now()
    expirations?.observe((shown.expires - time) / 1000)
    return time < shown.notBefore || time > shown.notAfter || !stands(shown) ? 'rejected' : shown.user
  }
}
