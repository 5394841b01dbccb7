import { X509Certificate } from 'node:crypto'
import { BEGIN_CERTIFICATE, endsWithinCertificate, pemCertificates } from '../../lib/pem-certificates.ts'
import type { TlsMaterial } from './tls-material.ts'

/** Whose certificates are believed of clients. */
export interface Authorities {
  /** CAs of users. */
  readonly clients: readonly X509Certificate[]
  /** CAs of front proxies, which say for whom their requests are. */
  readonly frontProxies: readonly X509Certificate[]
}

/** PEM of both. */
export type AuthorityMaterial = Pick<TlsMaterial, 'clientCa' | 'frontProxyCa'>

/**
 * Reads what TLS is to believe. Throws for a text that a writer has not finished, as a file is read while it is written: OpenSSL would skip the last certificate without an error, and trust only
 * those before it.
 */
export const authoritiesOf = ({ clientCa, frontProxyCa = '' }: AuthorityMaterial): Authorities => ({
  clients: certificatesOf(clientCa),
  frontProxies: certificatesOf(frontProxyCa),
})

function certificatesOf(text: string): X509Certificate[] {
  if (endsWithinCertificate(text)) throw new Error('it ends within a certificate')
  return pemCertificates(text).map(pem => new X509Certificate(pem))
}

/** Throws where a file that is to hold certificates has none. */
export function checkHoldsCertificates(text: string): void {
  if (!text.includes(BEGIN_CERTIFICATE)) throw new Error('it holds no certificates')
}
