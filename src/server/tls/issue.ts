import { randomBytes } from 'node:crypto'
import 'reflect-metadata'
import * as x509 from '@peculiar/x509'
import { type ClientKeys, makeClientKeys } from './client-keys.ts'

/** Loaded only where a certificate has to be made: later starts find theirs on disk. */

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

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const DAY_MS = 86_400_000
const CA_DAYS = 3650
const LEAF_DAYS = 365
/** Clocks of clients may be late. */
const BACKDATE_MS = 3_600_000

const makeServerKeys = () => crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])

/** A certificate authority of its own: EC P-256, ten years. */
export async function issueCa(commonName: string): Promise<KeyPair> {
  const keys = await makeServerKeys()
  const cert = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity(CA_DAYS),
    serialNumber: serial(),
    name: [{ CN: [commonName] }],
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign | x509.KeyUsageFlags.digitalSignature, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { cert: `${cert.toString('pem')}\n`, key: await pemOf(keys.privateKey) }
}

/** A server's certificate for these names, a year long. */
export const issueServing = (ca: KeyPair, commonName: string, names: Names): Promise<KeyPair> =>
  issue(ca, makeServerKeys(), [{ CN: [commonName] }], '1.3.6.1.5.5.7.3.1', [
    new x509.SubjectAlternativeNameExtension([
      ...names.dns.map(value => ({ type: 'dns', value }) as const),
      ...names.ips.map(value => ({ type: 'ip', value }) as const),
    ]),
  ])

/** A client's certificate: its user is the common name, its groups the organizations. RSA, a year long. `keys`: those of the client. */
export const issueClient = (ca: KeyPair, user: string, groups: readonly string[], keys = makeClientKeys()): Promise<KeyPair> =>
  issue(ca, keys, [...groups.map(group => ({ O: [group] })), { CN: [user] }], '1.3.6.1.5.5.7.3.2', [])

async function issue(ca: KeyPair, making: ClientKeys, subject: x509.JsonName, usage: string, extensions: x509.Extension[]): Promise<KeyPair> {
  const issuer = new x509.X509Certificate(ca.cert)
  const signingKey = await crypto.subtle.importKey('pkcs8', x509.PemConverter.decodeFirst(ca.key), ALGORITHM, false, ['sign'])
  const keys = await making
  const cert = await x509.X509CertificateGenerator.create({
    ...validity(LEAF_DAYS),
    serialNumber: serial(),
    subject,
    issuer: issuer.subjectName.toJSON(),
    signingAlgorithm: ALGORITHM,
    signingKey,
    publicKey: keys.publicKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyEncipherment, true),
      new x509.ExtendedKeyUsageExtension([usage]),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
      ...extensions,
    ],
  })
  return { cert: `${cert.toString('pem')}\n`, key: await pemOf(keys.privateKey) }
}

function validity(days: number): { notBefore: Date; notAfter: Date } {
  const now = Date.now()
  return { notBefore: new Date(now - BACKDATE_MS), notAfter: new Date(now + days * DAY_MS) }
}

/** Positive, and random enough never to come twice. */
function serial(): string {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40
  return bytes.toString('hex')
}

const pemOf = async (key: Awaited<ReturnType<typeof crypto.subtle.importKey>>): Promise<string> =>
  `${x509.PemConverter.encode(await crypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')}\n`
