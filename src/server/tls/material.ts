import { X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import { readConfigText } from '../../lib/bounded-input.ts'
import { errorCode } from '../../lib/error-code.ts'
import { makePrivateDirectory, writePrivate } from '../../lib/private-file.ts'
import { MASTERS } from '../../meta/authorizer.ts'
import type { ClientKeys } from './client-keys.ts'
import { clientCaOf } from './follow-client-ca.ts'
import { issueCa, issueClient, issueFrontProxy, issueServing, type KeyPair, type Names } from './issue.ts'
import type { TlsMaterial } from './tls-material.ts'

/** User name of the administrator's client certificate, a member of system:masters. */
export const ADMIN_USER = 'kubernetes-admin'
/** A certificate is renewed when its remaining validity is shorter. */
const RENEW_MS = 30 * 86_400_000

/**
 * Where certificates come from and what they are for. Pairs in the directory are used until they have to be renewed.
 */
export interface CertificateOptions {
  /**
   * Directory of the pairs `ca`, `apiserver`, `admin`, `front-proxy-ca` and `front-proxy-client` (`.crt`, `.key`),
   * created with mode 0700. If undefined, the pairs are generated and not stored.
   */
  readonly directory: string | undefined
  /** `--tls-cert-file` and `--tls-private-key-file`: both, or neither. */
  readonly servingFiles?: { readonly cert: string; readonly key: string }
  /** `--client-ca-file`: trusted besides the server's own CA. */
  readonly clientCaFile?: string
  /** `--requestheader-client-ca-file`: the CA of front proxies. */
  readonly frontProxyCaFile?: string
  /** Optional. Common name of the certificate for aggregated servers, in case the server issues it. */
  readonly frontProxy?: string
  readonly names: Names
  /** Optional. Keys of the administrator's certificate, in case it has to be issued. */
  readonly adminKeys?: ClientKeys
  /**
   * Optional, for several servers with one CA. Returns the shared CA, which is the result of `make` if there is none
   * yet. Only called if the directory has no CA.
   */
  readonly shareCa?: (make: () => Promise<KeyPair>) => Promise<KeyPair>
}

/** Certificates of a server and of its administrator. */
export interface ServerCredentials {
  readonly tls: TlsMaterial
  /**
   * Pair of the administrator. Resolves later than the rest if it has to be issued: generating its key takes a tenth of
   * a second or more, and the ports do not wait for it.
   */
  readonly admin: Promise<KeyPair>
  /** PEM with which clients verify the server. */
  readonly serverCa: string
  /** CA that signs client certificates. */
  readonly ownCa: KeyPair
  /** Client certificate for aggregated servers. Omitted if the server did not issue it. */
  readonly frontProxy?: KeyPair
}

/**
 * Loads the certificates of the server and the administrator, or issues them. A serving pair of another issuer in the
 * directory is used as it is. A pair of our own is issued again before it expires, or if it lacks some of the names.
 */
export async function loadCredentials(options: CertificateOptions): Promise<ServerCredentials> {
  const { directory, names } = options
  if (directory !== undefined) makePrivateDirectory(directory)
  const makeCa = (): Promise<KeyPair> => issueCa('binnacle-ca')
  const { shareCa } = options
  const ca = await loadOrCreatePair(directory, 'ca', isFresh, shareCa ? () => shareCa(makeCa) : makeCa)
  const issuer = new X509Certificate(ca.cert)
  const ours = (cert: X509Certificate): boolean => cert.checkIssued(issuer) && cert.verify(issuer.publicKey)
  // A certificate of an earlier own CA has the same issuer name, but another signature. It is replaced.
  const someoneElses = (cert: X509Certificate): boolean => cert.issuer !== issuer.subject
  const given = options.servingFiles
  const admin = loadOrCreatePair(
    directory,
    'admin',
    cert => ours(cert) && isFresh(cert),
    () => issueClient(ca, ADMIN_USER, [MASTERS], options.adminKeys),
  )
  // A rejection is reported to the caller that awaits it. A start that fails for another reason never does.
  admin.catch(() => {})
  const serving =
    given === undefined
      ? await loadOrCreatePair(
          directory,
          'apiserver',
          cert => someoneElses(cert) || (ours(cert) && isFresh(cert) && hasNames(cert, names)),
          () => issueServing(ca, 'kube-apiserver', names),
        )
      : { cert: await readConfigText(given.cert), key: await readConfigText(given.key) }
  const clientCa = options.clientCaFile === undefined ? ca.cert : clientCaOf(ca.cert, await readConfigText(options.clientCaFile))
  const serverCa = ours(new X509Certificate(serving.cert)) ? ca.cert : serving.cert
  const own = options.frontProxy === undefined ? undefined : await loadFrontProxy(directory, options.frontProxy)
  const frontProxyCa = options.frontProxyCaFile === undefined ? own?.ca.cert : await readConfigText(options.frontProxyCaFile)
  const tls = { ...serving, clientCa, ...(frontProxyCa !== undefined && { frontProxyCa }) }
  return { tls, admin, serverCa, ownCa: ca, ...(own && { frontProxy: own.client }) }
}

/**
 * Loads or issues the certificate for aggregated servers. It has a CA of its own: a CA of users must not sign for front
 * proxies, which act as any user.
 */
async function loadFrontProxy(
  directory: string | undefined,
  commonName: string,
): Promise<{ readonly ca: KeyPair; readonly client: KeyPair }> {
  const ca = await loadOrCreatePair(directory, 'front-proxy-ca', isFresh, () => issueCa('front-proxy-ca'))
  const issuer = new X509Certificate(ca.cert)
  const client = await loadOrCreatePair(
    directory,
    'front-proxy-client',
    cert => cert.verify(issuer.publicKey) && isFresh(cert),
    () => issueFrontProxy(ca, commonName),
  )
  return { ca, client }
}

/**
 * Returns the pair of a name in the directory. If it is missing or `isGood` refuses it, `make` creates a new one, which
 * is stored.
 */
async function loadOrCreatePair(
  directory: string | undefined,
  name: string,
  isGood: (cert: X509Certificate) => boolean,
  make: () => Promise<KeyPair>,
): Promise<KeyPair> {
  if (directory === undefined) return make()
  const files = { cert: join(directory, `${name}.crt`), key: join(directory, `${name}.key`) }
  const cert = await readIfThere(files.cert)
  const key = await readIfThere(files.key)
  if (cert !== undefined && key !== undefined && isGood(new X509Certificate(cert))) return { cert, key }
  const made = await make()
  await writePrivate(files.key, made.key)
  await writePrivate(files.cert, made.cert)
  return made
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readConfigText(file)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

/** Reports whether a certificate is valid for more than 30 days. */
export const isFresh = (cert: X509Certificate): boolean => Date.parse(cert.validTo) - Date.now() > RENEW_MS

const hasNames = (cert: X509Certificate, { dns, ips }: Names): boolean =>
  dns.every(name => cert.checkHost(name) !== undefined) && ips.every(ip => cert.checkIP(ip) !== undefined)
