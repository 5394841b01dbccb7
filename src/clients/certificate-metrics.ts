import type { Socket } from 'node:net'
import { type PeerCertificate, TLSSocket } from 'node:tls'
import { objectIdentifierOf, readDer, sequenceOf } from '../lib/der.ts'
import { errorMessage } from '../lib/error-message.ts'
import { CounterFamily, type MetricFamily } from '../lib/metrics.ts'
import type { AuditRecord } from '../meta/audit.ts'

/** A flaw of server certificates that early Go versions tolerated. */
type CertificateFlaw = 'missing-san' | 'insecure-sha1'

/** Observes the connection of a call. */
export interface CertificateObserver {
  /** Called when a response arrives. */
  answered(socket: Socket): void
  /** Called when the call fails. */
  failed(error: unknown): void
}

/** Values of the audit annotations. */
const FLAW_TEXTS: Readonly<Record<CertificateFlaw, string>> = {
  'missing-san': 'relies on a legacy Common Name field instead of the SAN extension for subject validation',
  'insecure-sha1': 'uses an insecure SHA-1 signature',
}

const SHA1_SIGNATURES: ReadonlySet<string> = new Set(['1.2.840.113549.1.1.5', '1.2.840.10045.4.1'])
/** Maximum number of certificates of a chain that are examined. */
const MOST_CERTIFICATES = 10

/**
 * Counts requests to servers whose certificate lacks a subject alternative name or is signed with SHA-1: those that
 * failed because of it, and those that succeeded because certificates are not verified. Source: k8s.io/apiserver,
 * pkg/util/x509metrics.
 */
export class CertificateMetrics {
  readonly #counters: Readonly<Record<CertificateFlaw, CounterFamily>>
  /** Flaws per kept connection. */
  readonly #found = new WeakMap<Socket, readonly CertificateFlaw[]>()

  constructor(subsystem: 'webhooks' | 'kube_aggregator') {
    const counter = (name: string, help: string): CounterFamily => {
      const family = new CounterFamily({ name: `apiserver_${subsystem}_x509_${name}_total`, help, stability: 'ALPHA', labels: [] })
      family.child()
      return family
    }
    this.#counters = {
      'missing-san': counter(
        'missing_san',
        'Number of requests to servers whose certificate has no subject alternative name, or that failed for it.',
      ),
      'insecure-sha1': counter(
        'insecure_sha1',
        'Number of requests to servers whose certificates are signed with SHA-1, or that failed for it.',
      ),
    }
  }

  get families(): readonly MetricFamily[] {
    return Object.values(this.#counters)
  }

  /**
   * Returns an observer for one call. @param host host in the URL. @param audit record of the request that the call is
   * made for.
   */
  observer(host: string, audit?: AuditRecord): CertificateObserver {
    const count = (flaws: readonly CertificateFlaw[]): void => {
      for (const flaw of flaws) {
        this.#counters[flaw].child().value++
        audit?.annotate(`${flaw}.invalid-cert.kubernetes.io/${host}`, FLAW_TEXTS[flaw])
      }
    }
    return { answered: socket => count(this.#flawsOf(socket)), failed: error => count(flawsIn(errorMessage(error))) }
  }

  /** Flaws of a connection's certificates, examined once per connection. */
  #flawsOf(socket: Socket): readonly CertificateFlaw[] {
    if (!(socket instanceof TLSSocket)) return []
    const known = this.#found.get(socket)
    if (known !== undefined) return known
    const found = flawsOf(socket)
    this.#found.set(socket, found)
    return found
  }
}

/** Recognizes flaws in an error in Go's words. */
function flawsIn(text: string): readonly CertificateFlaw[] {
  if (text.includes('x509: certificate relies on legacy Common Name field')) return ['missing-san']
  return text.includes('x509: cannot verify signature: insecure algorithm') ? ['insecure-sha1'] : []
}

/** Examines the chain of a certificate. `missing-san` only concerns the leaf. */
function flawsOf(socket: TLSSocket): CertificateFlaw[] {
  const leaf = socket.getPeerCertificate(true)
  if (!('raw' in leaf)) return []
  const chain = [leaf]
  for (
    let next = leaf.issuerCertificate;
    next !== undefined && next !== chain.at(-1) && chain.length < MOST_CERTIFICATES;
    next = next.issuerCertificate
  )
    chain.push(next)
  return [
    ...(leaf.subjectaltname === undefined ? (['missing-san'] as const) : []),
    ...(chain.some(isSignedWithSha1) ? (['insecure-sha1'] as const) : []),
  ]
}

/** Whether a certificate is signed with SHA-1. Signatures of roots are not relevant. */
function isSignedWithSha1({ raw, subject, issuer }: PeerCertificate): boolean {
  if (JSON.stringify(subject) === JSON.stringify(issuer)) return false
  const [, algorithm] = sequenceOf(readDer(raw)[0])
  return SHA1_SIGNATURES.has(objectIdentifierOf(sequenceOf(algorithm)[0]))
}
