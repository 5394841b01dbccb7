import 'reflect-metadata'
import * as x509 from '@peculiar/x509'

export interface Issued {
  readonly certificate: x509.X509Certificate
  readonly keys: Awaited<ReturnType<typeof generate>>
  /** PEM. */
  readonly cert: string
  readonly key: string
}

export interface Request {
  readonly subject: x509.JsonName | x509.Name
  /** Optional. The certificate is self-signed if omitted. */
  readonly issuer?: Issued
  /** Optional. Keys of another certificate; new ones if omitted. */
  readonly keys?: Issued['keys']
  readonly notBefore?: number
  readonly notAfter?: number
  readonly isAuthority?: boolean
  /** Optional. Path length constraint. Default: unlimited. */
  readonly pathLength?: number
  /** Further extensions. */
  readonly extensions?: readonly x509.Extension[]
  /** Object identifiers of extended key usages; absent: the extension is not there. */
  readonly usages?: readonly string[]
  /** Subject alternative names; absent: the extension is not there. */
  readonly dns?: readonly string[]
  /** Optional. Digest of the signature. Default: SHA-256. */
  readonly digest?: 'SHA-1'
}

export const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2'
export const ANY_PURPOSE = '2.5.29.37.0'
export const SERVER_AUTH = '1.3.6.1.5.5.7.3.1'
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const HOUR_MS = 3_600_000
let serial = 1

const generate = () => crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])

/** A certificate as the test wants it: valid from an hour ago for two hours, if not told otherwise. */
export async function issueCertificate({
  subject,
  issuer,
  keys: given,
  notBefore,
  notAfter,
  isAuthority = false,
  pathLength,
  extensions = [],
  usages,
  dns,
  digest,
}: Request): Promise<Issued> {
  const keys = given ?? (await generate())
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: (serial++).toString(16).padStart(8, '0'),
    subject: subject instanceof x509.Name ? subject.toString() : subject,
    issuer: issuer ? issuer.certificate.subject : subject instanceof x509.Name ? subject.toString() : subject,
    notBefore: new Date(notBefore ?? Date.now() - HOUR_MS),
    notAfter: new Date(notAfter ?? Date.now() + HOUR_MS),
    signingAlgorithm: { ...ALGORITHM, ...(digest && { hash: digest }) },
    signingKey: (issuer?.keys ?? keys).privateKey,
    publicKey: keys.publicKey,
    extensions: [
      new x509.BasicConstraintsExtension(isAuthority, pathLength, true),
      ...extensions,
      ...(usages ? [new x509.ExtendedKeyUsageExtension([...usages])] : []),
      ...(dns ? [new x509.SubjectAlternativeNameExtension(dns.map(value => ({ type: 'dns', value })))] : []),
    ],
  })
  const key = x509.PemConverter.encode(await crypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY')
  return { certificate, keys, cert: `${certificate.toString('pem')}\n`, key }
}
