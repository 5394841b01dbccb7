import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../../lib/error-code.ts'
import { makePrivateDirectory, writePrivate } from '../../lib/private-file.ts'
import { MASTERS } from '../../meta/authorizer.ts'
import type { ClientKeys } from './client-keys.ts'
import { clientCaOf } from './follow-client-ca.ts'
import { issueCa, issueClient, issueServing, type KeyPair, type Names } from './issue.ts'
import type { TlsMaterial } from './tls-material.ts'

export const ADMIN_USER = 'kubernetes-admin'
/** A certificate is made anew when less than this is left of it. */
const RENEW_MS = 30 * 86_400_000

export interface CertificateOptions {
  /** Where `ca`, `apiserver` and `admin` (`.crt`, `.key`) are kept; made where missing, mode 0700. Undefined: they are made, and kept nowhere. */
  readonly directory: string | undefined
  /** `--tls-cert-file` and `--tls-private-key-file`: both, or neither. */
  readonly servingFiles?: { readonly cert: string; readonly key: string }
  /** `--client-ca-file`: believed beside our own CA. */
  readonly clientCaFile?: string
  /** `--requestheader-client-ca-file`: the CA of front proxies. */
  readonly frontProxyCaFile?: string
  readonly names: Names
  /** For the administrator's certificate, if it has to be made. */
  readonly adminKeys?: ClientKeys
  /** Where several servers share a CA: gives theirs, which is what `make` makes if there is none yet. Asked where the directory has none. */
  readonly shareCa?: (make: () => Promise<KeyPair>) => Promise<KeyPair>
}

export interface Credentials {
  readonly tls: TlsMaterial
  /** The administrator's. Later than the rest where they have to be made: their keys take a tenth of a second or more, and no port waits for them. */
  readonly admin: Promise<KeyPair>
  /** PEM of what a client checks the server against. */
  readonly serverCa: string
  /** The CA that signs client certificates here. */
  readonly ownCa: KeyPair
}

/**
 * The server's certificates and the administrator's, found on disk or made. A serving pair that someone else has put into the directory is used as it is; one of ours is made
 * anew when it expires or does not have all the names.
 */
export async function loadCredentials(options: CertificateOptions): Promise<Credentials> {
  const { directory, names } = options
  if (directory !== undefined) makePrivateDirectory(directory)
  const makeCa = (): Promise<KeyPair> => issueCa('binnacle-ca')
  const { shareCa } = options
  const ca = await keep(directory, 'ca', isFresh, shareCa ? () => shareCa(makeCa) : makeCa)
  const issuer = new X509Certificate(ca.cert)
  const ours = (cert: X509Certificate): boolean => cert.checkIssued(issuer) && cert.verify(issuer.publicKey)
  // Not of a CA that was here before, which bears the same name.
  const someoneElses = (cert: X509Certificate): boolean => cert.issuer !== issuer.subject
  const given = options.servingFiles
  const admin = keep(
    directory,
    'admin',
    cert => ours(cert) && isFresh(cert),
    () => issueClient(ca, ADMIN_USER, [MASTERS], options.adminKeys),
  )
  // Whoever takes it sees the failure; a start that fails for another reason takes none.
  admin.catch(() => {})
  const serving =
    given === undefined
      ? await keep(
          directory,
          'apiserver',
          cert => someoneElses(cert) || (ours(cert) && isFresh(cert) && hasNames(cert, names)),
          () => issueServing(ca, 'kube-apiserver', names),
        )
      : { cert: await readFile(given.cert, 'utf8'), key: await readFile(given.key, 'utf8') }
  const clientCa = options.clientCaFile === undefined ? ca.cert : clientCaOf(ca.cert, await readFile(options.clientCaFile, 'utf8'))
  const serverCa = ours(new X509Certificate(serving.cert)) ? ca.cert : serving.cert
  const frontProxyCa = options.frontProxyCaFile === undefined ? undefined : await readFile(options.frontProxyCaFile, 'utf8')
  return { tls: { ...serving, clientCa, ...(frontProxyCa !== undefined && { frontProxyCa }) }, admin, serverCa, ownCa: ca }
}

async function keep(directory: string | undefined, name: string, isGood: (cert: X509Certificate) => boolean, make: () => Promise<KeyPair>): Promise<KeyPair> {
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
    return await readFile(file, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

export const isFresh = (cert: X509Certificate): boolean => Date.parse(cert.validTo) - Date.now() > RENEW_MS

const hasNames = (cert: X509Certificate, { dns, ips }: Names): boolean =>
  dns.every(name => cert.checkHost(name) !== undefined) && ips.every(ip => cert.checkIP(ip) !== undefined)
