import { checkServerIdentity, type PeerCertificate } from 'node:tls'

/**
 * Whether a server's certificate is for the host, as Go has it: by its subject alternative names. Node alone takes the common name for the certificate's name where there are no others. An option of
 * `node:tls` and what is built on it.
 */
export function checkServerName(host: string, certificate: PeerCertificate): Error | undefined {
  const error = checkServerIdentity(host, { ...certificate, subject: { ...certificate.subject, CN: '' } })
  return error && Object.assign(error, { cert: certificate })
}
