import type { PeerCertificate } from 'node:tls'
import { authenticated, type Identity } from './authenticator.ts'

/**
 * Attributes of a distinguished name. Each has one value or several. Attributes without a short name are keyed by OID.
 */
type DistinguishedName = Readonly<Record<string, string | readonly string[] | undefined>>

/** OID of the attribute that holds a user's UID. */
const UID = '1.3.6.1.4.1.57683.2'

const valueList = (values: DistinguishedName[string]): readonly string[] =>
  values === undefined ? [] : typeof values === 'string' ? [values] : values
const certificateSubject = ({ subject }: Pick<PeerCertificate, 'subject'>): DistinguishedName =>
  (subject as DistinguishedName | undefined) ?? {}

/** Common name of the certificate, or empty. If there are several the last one is used, as in Go. */
export const commonNameOf = (certificate: Pick<PeerCertificate, 'subject'>): string =>
  valueList(certificateSubject(certificate).CN).at(-1) ?? ''

/**
 * Returns the user of a certificate. Undefined if it has no common name.
 * @param readsUid whether the certificate may carry a UID (gate AllowParsingUserUIDFromCertAuth). An empty UID or
 * several are rejected.
 */
export function certificateUser(certificate: Pick<PeerCertificate, 'subject' | 'fingerprint256'>, readsUid = false): Identity {
  const name = commonNameOf(certificate)
  if (name === '') return undefined
  const subject = certificateSubject(certificate)
  const [uid, ...more] = readsUid ? valueList(subject[UID]) : []
  if (uid === '' || more.length > 0) return 'rejected'
  const id = certificate.fingerprint256.replaceAll(':', '').toLowerCase()
  const extra = { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${id}`] }
  return authenticated({ name, ...(uid !== undefined && { uid }), groups: [...valueList(subject.O)], extra })
}
