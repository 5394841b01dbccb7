import { readConfigFile } from '../lib/bounded-input.ts'
import { unlessThrown } from '../lib/unless-thrown.ts'
import { joinPaths } from '../lib/url.ts'
import { type GoUrl, GoUrlError, parseGoUrl } from '../meta/go-url.ts'
import { fileError } from './file-error.ts'
import type { AuthInfo, Cluster } from './kubeconfig.types.ts'
import { KubeconfigError } from './kubeconfig-error.ts'

/** PEM data, and the file it is reloaded from. Undefined if it was embedded. */
export interface Pem {
  /** Contents, as read at the start or decoded from the kubeconfig. */
  readonly pem: Buffer
  /** Path from which the contents are reloaded. */
  readonly file: string | undefined
}

/** Address, TLS settings and credentials of a remote server. */
export interface Remote {
  /** `http` connections send no credentials. */
  readonly scheme: 'http' | 'https'
  /** Host and port as in the URL, for the Host header. */
  readonly authority: string
  /** Host name or IP address, the latter without brackets. */
  readonly host: string
  /** Port of the URL, or the default port of the scheme. */
  readonly port: number
  /** Starts with a slash and does not end with one, unless it is `/`. */
  readonly path: string
  /** PEM certificates. Undefined for the CAs of the system. */
  readonly ca: Buffer | undefined
  /** Whether the certificate of the server is not verified. */
  readonly insecure: boolean
  /** Name that the certificate must contain, if it differs from the host. */
  readonly serverName: string | undefined
  /** Client certificate and its key. Undefined if the user has none. */
  readonly client: { readonly cert: Pem; readonly key: Pem } | undefined
  /** Bearer token, and the file that it is reloaded from. */
  readonly token: { readonly value: string; readonly file: string | undefined } | undefined
  /** Headers for impersonation and basic authentication. The token is separate. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
}

/** Credentials for a server. */
export type RemoteCredentials = Pick<Remote, 'client' | 'token' | 'headers'>

/** Loads the credentials of a user. Throws KubeconfigError. */
export const credentialsOf = async (user: AuthInfo): Promise<RemoteCredentials> => ({
  client: await clientOf(user),
  token: await tokenOf(user),
  headers: { ...impersonation(user), ...basic(user) },
})

/**
 * Builds the remote of a context. Throws KubeconfigError. As in client-go, plain HTTP sends only impersonation headers,
 * no credentials.
 */
export async function remoteOf(cluster: Cluster, user: AuthInfo): Promise<Remote> {
  const { scheme, host: authority, path } = serverUrl(cluster.server ?? '')
  if (scheme !== 'http' && scheme !== 'https')
    throw new KubeconfigError(`unsupported protocol scheme ${JSON.stringify(scheme)} in the server ${scheme}://${authority}`)
  const secure = scheme === 'https'
  const [, name = '', port] = /^(.*?)(?::(\d*))?$/.exec(authority) ?? []
  const ca = await pemOf(cluster['certificate-authority-data'], cluster['certificate-authority'])
  const insecure = cluster['insecure-skip-tls-verify'] ?? false
  if (secure && ca && insecure) throw new KubeconfigError('specifying a root certificates file with the insecure flag is not allowed')
  if (secure && ca && !ca.pem.includes('-----BEGIN CERTIFICATE-----'))
    throw new KubeconfigError('unable to load root certificates: unable to parse bytes as PEM block')
  return {
    scheme,
    authority,
    host: name.replace(/^\[(.*)\]$/, '$1'),
    port: port ? Number(port) : secure ? 443 : 80,
    path: joinPaths('/', path),
    ca: secure ? ca?.pem : undefined,
    insecure,
    serverName: cluster['tls-server-name'] || undefined,
    client: secure ? await clientOf(user) : undefined,
    token: secure ? await tokenOf(user) : undefined,
    headers: { ...impersonation(user), ...(secure && basic(user)) },
  }
}

/** Parses a server URL. A host without scheme means plain HTTP. */
function serverUrl(server: string): GoUrl {
  try {
    const url = parsedUrl(server)
    if (url && url.scheme !== '' && url.host !== '') return url
    const plain = parseGoUrl(`http://${server}`)
    if (plain.path !== '' && plain.path !== '/')
      throw new KubeconfigError(`host must be a URL or a host:port pair: ${JSON.stringify(server)}`)
    return plain
  } catch (error) {
    throw error instanceof GoUrlError ? new KubeconfigError(error.message) : error
  }
}

const parsedUrl = (text: string): GoUrl | undefined => unlessThrown(GoUrlError, () => parseGoUrl(text))

/** Embedded data takes precedence over a file. */
async function pemOf(data: string | undefined, file: string | undefined): Promise<Pem | undefined> {
  if (data) return { pem: Buffer.from(data, 'base64'), file: undefined }
  return file ? { pem: await readCredentialFile(file), file } : undefined
}

/** Reads a file. Throws KubeconfigError. */
async function readCredentialFile(file: string): Promise<Buffer> {
  return await readConfigFile(file).catch((error: unknown) => {
    throw new KubeconfigError(fileError(error, file))
  })
}

/** Returns undefined unless both the certificate and the key are given. */
async function clientOf(user: AuthInfo): Promise<Remote['client']> {
  const cert = await pemOf(user['client-certificate-data'], user['client-certificate'])
  const key = await pemOf(user['client-key-data'], user['client-key'])
  return cert && key && { cert, key }
}

/** An embedded token is used until the token file has been read. */
async function tokenOf({ token, tokenFile }: AuthInfo): Promise<Remote['token']> {
  const file = tokenFile || undefined
  if (token) return { value: token, file }
  return file === undefined ? undefined : { value: (await readCredentialFile(file)).toString().trim(), file }
}

const basic = ({ username, password }: AuthInfo): Record<string, string> =>
  username || password ? { authorization: `Basic ${Buffer.from(`${username ?? ''}:${password ?? ''}`).toString('base64')}` } : {}

/** Impersonation headers of a user. Only sent with a user name. */
function impersonation(user: AuthInfo): Record<string, string | string[]> {
  if (!user.as) return {}
  const extra = Object.entries(user['as-user-extra'] ?? {}).map(
    ([key, values]) => [`Impersonate-Extra-${headerName(key)}`, values ?? []] as const,
  )
  return {
    'Impersonate-User': user.as,
    ...(user['as-uid'] && { 'Impersonate-Uid': user['as-uid'] }),
    ...(user['as-groups'] && user['as-groups'].length > 0 && { 'Impersonate-Group': user['as-groups'] }),
    ...Object.fromEntries(extra),
  }
}

/** Escapes an extra key for a header name, as client-go does. */
const headerName = (key: string): string =>
  [...Buffer.from(key)]
    .map(byte =>
      NAME.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .join('')

const NAME = /[A-Za-z0-9!#$&'*+.^_`|~-]/
