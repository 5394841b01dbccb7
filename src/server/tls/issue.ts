import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import {
  alternativeNames,
  authorityKeyIdentifier,
  basicConstraints,
  extendedKeyUsage,
  issuerOf,
  keyUsages,
  nameOf,
  signCertificate,
  subjectKeyIdentifier,
} from './certificate.ts'
import { type ClientKeys, makeClientKeys } from './client-keys.ts'

export interface KeyPair {
  /** PEM. */
  readonly cert: string
  /** PEM, PKCS #8. */
  readonly key: string
}

export interface Names {
  readonly dns: readonly string[]
  readonly ips: readonly string[]
}

const DAY_MS = 86_400_000
const CA_DAYS = 3650
const LEAF_DAYS = 365
/** Clocks of clients may be late. */
const BACKDATE_MS = 3_600_000

const generate = promisify(generateKeyPair)
const makeServerKeys = (): ClientKeys => generate('ec', { namedCurve: 'P-256' })

export interface CaOptions {
  readonly keys: ClientKeys
  readonly validity: { readonly notBefore: Date; readonly notAfter: Date }
  /** Default: a random one. */
  readonly serial?: Buffer
}

/** A certificate authority of its own: EC P-256, ten years. */
export const issueCa = (commonName: string): Promise<KeyPair> => issueCaOf(commonName, { keys: makeServerKeys(), validity: validity(CA_DAYS) })

/** A certificate authority of these keys. */
export async function issueCaOf(commonName: string, { keys, validity, serial }: CaOptions): Promise<KeyPair> {
  const { publicKey, privateKey } = await keys
  const subject = nameOf(['CN', commonName])
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

/** A server's certificate for these names, a year long. */
export const issueServing = (ca: KeyPair, commonName: string, { dns, ips }: Names): Promise<KeyPair> =>
  issue(ca, makeServerKeys(), nameOf(['CN', commonName]), [extendedKeyUsage('server'), alternativeNames(dns, ips)])

/** A client's certificate: its user is the common name, its groups the organizations. RSA, a year long. `keys`: those of the client. */
export const issueClient = (ca: KeyPair, user: string, groups: readonly string[], keys = makeClientKeys()): Promise<KeyPair> =>
  issue(ca, keys, nameOf(...groups.map(group => ['O', group] as const), ['CN', user]), [extendedKeyUsage('client')])

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
