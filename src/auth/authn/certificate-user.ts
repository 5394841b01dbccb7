import type { PeerCertificate } from 'node:tls'
import { authenticated, type Identity } from './authenticator.ts'

/** Attributes of a name: one value, or several. Those without a name of their own go by their object identifiers. */
type Subject = Readonly<Record<string, string | readonly string[] | undefined>>

/** The attribute by which Kubernetes writes a user's uid. */
const UID = '1.3.6.1.4.1.57683.2'

const listOf = (values: Subject[string]): readonly string[] => (values === undefined ? [] : typeof values === 'string' ? [values] : values)
const subjectOf = ({ subject }: Pick<PeerCertificate, 'subject'>): Subject => (subject as Subject | undefined) ?? {}

/** Empty of a certificate without one. Of several the last counts, as in Go. */
export const commonNameOf = (certificate: Pick<PeerCertificate, 'subject'>): string => listOf(subjectOf(certificate).CN).at(-1) ?? ''

/**
 * Undefined for a certificate without a common name: it says of nobody that it is theirs.
 * @param readsUid it may say the user's uid, and is rejected where it says an empty one, or several (the gate AllowParsingUserUIDFromCertAuth).
 */
export function userOf(certificate: Pick<PeerCertificate, 'subject' | 'fingerprint256'>, readsUid = false): Identity {
  const name = commonNameOf(certificate)
  if (name === '') return undefined
  const subject = subjectOf(certificate)
  const [uid, ...more] = readsUid ? listOf(subject[UID]) : []
  if (uid === '' || more.length > 0) return 'rejected'
  const id = certificate.fingerprint256.replaceAll(':', '').toLowerCase()
  const extra = { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${id}`] }
  return authenticated({ name, ...(uid !== undefined && { uid }), groups: [...listOf(subject.O)], extra })
}
