import { X509Certificate } from 'node:crypto'
import type { HistogramChild } from '../../lib/metrics.ts'
import type { Authenticator, ProofNotes } from './authenticator.ts'
import { anchors, type PresentedCertificate, PresentedCertificates } from './presented-certificates.ts'

/**
 * Authenticates by client certificate: the common name is the user, the organizations are its groups
 * (https://kubernetes.io/docs/reference/access-authn-authz/authentication/#x509-client-certificates). TLS verified the
 * chain at the handshake. Validity periods are checked per request, and trust again whenever `authorities` returns
 * another list. @param authorities current client CAs. Undefined if they are those that TLS used. @param expirations
 * observes the remaining lifetime in seconds.
 */
export function clientCertificate(
  now: () => number,
  authorities: () => readonly X509Certificate[] | undefined = () => undefined,
  expirations?: HistogramChild,
  certificates = new PresentedCertificates(),
): Authenticator {
  const stands = anchors(authorities)
  return ({ socket, proof }) => {
    const shown = certificates.of(socket)
    if (shown === 'none') return undefined
    if (shown === 'unverified') return 'rejected'
    if (shown.user === undefined) return undefined
    const time = now()
    expirations?.observe((shown.expires - time) / 1000)
    const isGood = time >= shown.notBefore && time <= shown.notAfter && stands(shown)
    if (proof) tell(proof, shown, isGood)
    return isGood ? shown.user : 'rejected'
  }
}

/** Records for `why` whether the certificate was accepted. */
function tell(proof: ProofNotes, { chain: [der] }: PresentedCertificate, isGood: boolean): void {
  if (der === undefined) return
  const { subject, issuer, validTo } = new X509Certificate(der)
  const expires = new Date(validTo)
  if (!isGood)
    proof.refused(
      `the client certificate ${onOneLine(subject)}, valid until ${expires.toISOString()}, or a CA of its chain is not trusted at this time`,
    )
  else proof.proved({ kind: 'client certificate', subject: onOneLine(subject), issuer: onOneLine(issuer), notAfter: expires.toISOString() })
}

/** Joins the attributes of a name, which Node separates by line breaks. */
const onOneLine = (name: string): string => name.split('\n').join(', ')
