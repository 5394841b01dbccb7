import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import {
  alternativeNames,
  authorityKeyIdentifier,
  basicConstraints,
  distinguishedName,
  extendedKeyUsage,
  issuerOf,
  keyUsages,
  signCertificate,
  subjectKeyIdentifier,
} from '../../lib/certificate-writer.ts'
import { parseIp } from '../../meta/ip.ts'
import { type ClientKeys, makeClientKeys } from './client-keys.ts'

/** A certificate with its private key. */
export interface KeyPair {
  /** PEM. */
  readonly cert: string
  /** PEM, PKCS #8. */
  readonly key: string
}

/** Host names and IP addresses of a serving certificate. */
export interface Names {
  readonly dns: readonly string[]
  readonly ips: readonly string[]
}

const DAY_MS = 86_400_000
const CA_DAYS = 3650
const LEAF_DAYS = 365
/** Validity before the time of issue, for clients whose clock is slow. */
const BACKDATE_MS = 3_600_000

const generate = promisify(generateKeyPair)
const makeServerKeys = (): ClientKeys => generate('ec', { namedCurve: 'P-256' })

/** Contents of a CA that others must be able to make again, such as a CA with a given serial number. */
export interface CaOptions {
  readonly keys: ClientKeys
  readonly validity: { readonly notBefore: Date; readonly notAfter: Date }
  /** Defaults to random. */
  readonly serial?: Buffer
}

/** Issues a self-signed certificate authority: EC P-256, ten years. */
export const issueCa = (commonName: string): Promise<KeyPair> =>
  issueCaOf(commonName, { keys: makeServerKeys(), validity: validity(CA_DAYS) })

/** Issues a self-signed certificate authority for these keys. */
export async function issueCaOf(commonName: string, { keys, validity, serial }: CaOptions): Promise<KeyPair> {
  const { publicKey, privateKey } = await keys
  const subject = distinguishedName(['CN', commonName])
  const cert = await signCertificate({
    issuer: { subject, publicKey, privateKey },
    subject,
    publicKey,
    ...validity,
    serial,
    extensions: [basicConstraints(true), keyUsages('keyCertSign', 'cRLSign', 'digitalSignature'), subjectKeyIdentifier(publicKey)],
  })
  return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
}

/** Issues a server certificate for these names: EC P-256, one year. */
export const issueServing = (ca: KeyPair, commonName: string, { dns, ips }: Names): Promise<KeyPair> =>
  issue(ca, makeServerKeys(), distinguishedName(['CN', commonName]), [
    extendedKeyUsage('server'),
    alternativeNames({ dns, ips: ips.flatMap(ip => parseIp(ip) ?? []) }),
  ])

/**
 * Issues a client certificate: its common name is the user, its organizations are the groups. RSA, one year. `keys`:
 * the client's.
 */
export const issueClient = (ca: KeyPair, user: string, groups: readonly string[], keys = makeClientKeys()): Promise<KeyPair> =>
  issue(ca, keys, distinguishedName(...groups.map(group => ['O', group] as const), ['CN', user]), [extendedKeyUsage('client')])

/** Issues the client certificate of a front proxy: EC P-256, one year. */
export const issueFrontProxy = (ca: KeyPair, commonName: string): Promise<KeyPair> => issueClient(ca, commonName, [], makeServerKeys())

async function issue(ca: KeyPair, keys: ClientKeys, subject: Buffer, extensions: readonly Buffer[]): Promise<KeyPair> {
  const issuer = issuerOf(ca.cert, ca.key)
  const { publicKey, privateKey } = await keys
  const cert = await signCertificate({
    issuer,
    subject,
    publicKey,
    ...validity(LEAF_DAYS),
    extensions: [basicConstraints(false), keyUsages('digitalSignature', 'keyEncipherment'), authorityKeyIdentifier(issuer), ...extensions],
  })
  return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
}

function validity(days: number): { notBefore: Date; notAfter: Date } {
  const now = Date.now()
  return { notBefore: new Date(now - BACKDATE_MS), notAfter: new Date(now + days * DAY_MS) }
}
