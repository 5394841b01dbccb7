import { X509Certificate } from 'node:crypto'
import { BEGIN_CERTIFICATE, endsWithinCertificate, pemCertificates } from '../../lib/pem-certificates.ts'
import type { TlsMaterial } from './tls-material.ts'

/** CAs that are trusted for client certificates. */
export interface Authorities {
  /** CAs of users. */
  readonly clients: readonly X509Certificate[]
  /** CAs of front proxies, which assert the user of a request by headers. */
  readonly frontProxies: readonly X509Certificate[]
}

/** Both as PEM. */
export type AuthorityMaterial = Pick<TlsMaterial, 'clientCa' | 'frontProxyCa'>

/**
 * Parses the trusted CAs. Throws if a text ends within a certificate, as when a file is read while it is being written:
 * OpenSSL would skip the incomplete certificate without an error, and trust only those before it.
 */
export const authoritiesOf = ({ clientCa, frontProxyCa = '' }: AuthorityMaterial): Authorities => ({
  clients: certificatesOf(clientCa),
  frontProxies: certificatesOf(frontProxyCa),
})

function certificatesOf(text: string): X509Certificate[] {
  if (endsWithinCertificate(text)) throw new Error('the file ends within a certificate')
  return pemCertificates(text).map(pem => new X509Certificate(pem))
}

/** Throws if the text has no certificate. */
export function checkHoldsCertificates(text: string): void {
  if (!text.includes(BEGIN_CERTIFICATE)) throw new Error('the file contains no certificates')
}
