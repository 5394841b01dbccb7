import { checkServerIdentity, type PeerCertificate } from 'node:tls'

/**
 * Checks whether a server's certificate is for the host by its subject alternative names alone, like Go. Node would use
 * the common name if there are none. An option of `node:tls` and the modules built on it.
 */
export function checkServerName(host: string, certificate: PeerCertificate): Error | undefined {
  const error = checkServerIdentity(host, { ...certificate, subject: { ...certificate.subject, CN: '' } })
  return error && Object.assign(error, { cert: certificate })
}
