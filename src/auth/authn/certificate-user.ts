import type { PeerCertificate } from 'node:tls'
import type { User } from '../../meta/context.ts'
import { authenticated } from './authenticator.ts'

/** Undefined for a certificate without a common name: it says of nobody that it is theirs. Of several common names the last counts, as in Go. */
export function userOf(certificate: Pick<PeerCertificate, 'subject' | 'fingerprint256'>): User | undefined {
  const subject = certificate.subject as { CN?: string | string[]; O?: string | string[] } | undefined
  const name = Array.isArray(subject?.CN) ? subject.CN.at(-1) : subject?.CN
  if (name === undefined || name === '') return undefined
  const groups = subject?.O === undefined ? [] : Array.isArray(subject.O) ? subject.O : [subject.O]
  const id = certificate.fingerprint256.replaceAll(':', '').toLowerCase()
  return authenticated({ name, groups, extra: { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${id}`] } })
}
