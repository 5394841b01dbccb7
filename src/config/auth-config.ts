import { aggregate } from '../lib/aggregate.ts'
import { quote } from '../lib/go-quote.ts'
import type { Features, Gates } from '../lifecycle/gates.ts'
import { GoUrlError, parseGoUrl } from '../meta/go-url.ts'
import type { Reader } from './flag-reader.ts'
import { FlagError } from './parse-flags.ts'

/** The modes that are implemented. `Rules` is our own: a file of who may do what. */
export type AuthorizationMode = 'ABAC' | 'AlwaysAllow' | 'AlwaysDeny' | 'Node' | 'RBAC' | 'Rules' | 'Webhook'
/** How tokens of service accounts are issued and checked. */
export interface ServiceAccountConfig {
  /** The first signs, the others are believed. Never empty. */
  readonly issuers: readonly string[]
  /** Undefined: a key is made. */
  readonly signingKeyFile: string | undefined
  /** Socket of another process that signs tokens. */
  readonly signingEndpoint: string | undefined
  readonly keyFiles: readonly string[]
  /** Of this server. Never empty. */
  readonly audiences: readonly string[]
  /** 0: as long as asked for. */
  readonly maxExpirationSeconds: number
  readonly extendExpiration: boolean
  /** Tokens that are kept in Secrets are good only while their Secret is there. */
  readonly lookUp: boolean
  /** Undefined: this server's own. */
  readonly keySetUrl: string | undefined
}

/** How a front proxy says for whom its requests are. */
export interface RequestHeaderConfig {
  readonly clientCaFile: string
  /** Names of front proxies; empty: every client certificate. */
  readonly allowedNames: readonly string[]
  readonly usernameHeaders: readonly string[]
  readonly uidHeaders: readonly string[]
  readonly groupHeaders: readonly string[]
  readonly extraHeaderPrefixes: readonly string[]
}

const UID_GATE = 'RemoteRequestHeaderUID'
const has = (headers: readonly string[], name: string): boolean => headers.some(header => header.toLowerCase() === name.toLowerCase())

/** Undefined where nobody is believed who says for whom a request is. Throws FlagError with kube-apiserver's texts. */
export function requestHeaderOf(read: Reader, features: Features): RequestHeaderConfig | undefined {
  const lists = {
    usernameHeaders: read.list('requestheader-username-headers'),
    groupHeaders: read.list('requestheader-group-headers'),
    extraHeaderPrefixes: read.list('requestheader-extra-headers-prefix'),
    allowedNames: read.list('requestheader-allowed-names'),
    uidHeaders: read.list('requestheader-uid-headers'),
  }
  const isBlank = (list: readonly string[]): boolean => list.some(name => name.trim() === '')
  if (isBlank(lists.usernameHeaders)) throw new FlagError('empty value in "requestheader-username-headers"')
  if (isBlank(lists.groupHeaders)) throw new FlagError('empty value in "requestheader-group-headers"')
  if (isBlank(lists.extraHeaderPrefixes)) throw new FlagError('empty value in "requestheader-extra-headers-prefix"')
  if (isBlank(lists.allowedNames)) throw new FlagError('empty value in "requestheader-allowed-names"')
  if (lists.uidHeaders.length > 0 && !features.enabled(UID_GATE))
    throw new FlagError(`--requestheader-uid-headers requires the "${UID_GATE}" feature to be enabled`)
  if (isBlank(lists.uidHeaders)) throw new FlagError('empty value in "requestheader-uid-headers"')
  if (lists.uidHeaders.length > 0 && !has(lists.uidHeaders, 'X-Remote-Uid'))
    throw new FlagError('--requestheader-uid-headers is set without specifying the standard X-Remote-Uid header - API aggregation will not work')
  const clientCaFile = read.text('requestheader-client-ca-file')
  return clientCaFile === undefined ? undefined : { clientCaFile, ...lists }
}

/** What kube-apiserver warns of. */
export function requestHeaderWarnings(read: Reader): string[] {
  const lacks = (flag: 'requestheader-username-headers' | 'requestheader-group-headers' | 'requestheader-extra-headers-prefix', name: string): boolean =>
    read.list(flag).length > 0 && !has(read.list(flag), name)
  const warning = (flag: string, what: string): string => `--${flag} is set without specifying the standard ${what} - API aggregation will not work`
  return [
    ...(lacks('requestheader-username-headers', 'X-Remote-User') ? [warning('requestheader-username-headers', 'X-Remote-User header')] : []),
    ...(lacks('requestheader-group-headers', 'X-Remote-Group') ? [warning('requestheader-group-headers', 'X-Remote-Group header')] : []),
    ...(lacks('requestheader-extra-headers-prefix', 'X-Remote-Extra-') ? [warning('requestheader-extra-headers-prefix', 'X-Remote-Extra- header prefix')] : []),
  ]
}

/** Bindings count unless something else is asked for, as with kube-apiserver in a cluster. */
export function authorizationModesOf(read: Reader): readonly AuthorizationMode[] {
  const given = read.list('authorization-mode')
  if (given.length > 0) return given.map(authorizationMode)
  return read.text('authorization-rules-file') === undefined ? ['RBAC'] : ['Rules', 'RBAC']
}

/** Throws FlagError for a mode that is not built, and for one that nobody knows. */
function authorizationMode(mode: string): AuthorizationMode {
  switch (mode) {
    case 'ABAC':
    case 'Node':
    case 'AlwaysAllow':
    case 'AlwaysDeny':
    case 'RBAC':
    case 'Rules':
    case 'Webhook':
      return mode
    default:
      throw new FlagError(
        `--authorization-mode: unsupported authorization mode ${JSON.stringify(mode)}; it may be Node, RBAC, ABAC, Webhook, Rules, AlwaysAllow or AlwaysDeny`,
      )
  }
}

/** The bounds of --service-account-max-token-expiration, as kube-apiserver checks them. */
const LEAST_TOKEN_MS = 3_600_000
const MOST_TOKEN_MS = 2 ** 32 * 1000

/** Throws FlagError with kube-apiserver's texts. */
function checkIssuers(issuers: readonly string[]): void {
  for (const [i, issuer] of issuers.entries()) {
    if (issuer.includes(':')) checkUrl(issuer, why => `service-account-issuer ${quote(issuer)} contained a ':' but was not a valid URL: ${why}`)
    if (issuers.indexOf(issuer) < i) throw new FlagError(`service-account-issuer ${quote(issuer)} is already specified`)
  }
}

function checkUrl(url: string, fault: (why: string) => string): void {
  try {
    parseGoUrl(url)
  } catch (error) {
    if (!(error instanceof GoUrlError)) throw error
    throw new FlagError(fault(error.message))
  }
}

/** A path, or the name of a socket in the abstract namespace. Each of the parts is matched in one way. */
const SOCKET = /^(?:(?:\/[^/ ]*)+|@(?:[a-zA-Z0-9_-]+\.)*[a-zA-Z0-9_-]+)$/

/** Throws FlagError with kube-apiserver's texts. */
function signingEndpointOf(read: Reader, gates: Gates): string | undefined {
  const endpoint = read.text('service-account-signing-endpoint')
  if (endpoint === undefined) return undefined
  const hasFiles = read.text('service-account-signing-key-file') !== undefined || read.list('service-account-key-file').length > 0
  const errors = [
    ...(hasFiles
      ? [
          "can't set `--service-account-signing-key-file` and/or `--service-account-key-file` with `--service-account-signing-endpoint` (They are mutually exclusive)",
        ]
      : []),
    ...(gates.enabled('ExternalServiceAccountTokenSigner')
      ? []
      : ['setting `--service-account-signing-endpoint` requires enabling ExternalServiceAccountTokenSigner feature gate']),
    ...(SOCKET.test(endpoint)
      ? []
      : [
          `invalid value ${quote(endpoint)} passed for \`--service-account-signing-endpoint\`, should be a valid location on the filesystem or must be prefixed with @ to name UDS in abstract namespace`,
        ]),
  ]
  if (errors.length > 0) throw new FlagError(aggregate(errors))
  return endpoint
}

/** Throws FlagError with kube-apiserver's texts. The first issuer signs; tokens of all of them are accepted. */
export function serviceAccountsOf(read: Reader, gates: Gates): ServiceAccountConfig {
  const issuers = read.list('service-account-issuer')
  checkIssuers(issuers)
  const maxMs = read.duration('service-account-max-token-expiration')
  if (maxMs !== 0 && (maxMs < LEAST_TOKEN_MS || maxMs > MOST_TOKEN_MS))
    throw new FlagError('the service-account-max-token-expiration must be between 1 hour and 2^32 seconds')
  const keySetUrl = read.text('service-account-jwks-uri')
  if (keySetUrl !== undefined) checkUrl(keySetUrl, why => `service-account-jwks-uri must be a valid URL: ${why}`)
  if (keySetUrl !== undefined && !/^https:\/\//.test(keySetUrl)) throw new FlagError(`service-account-jwks-uri requires https scheme, parsed as: ${keySetUrl}`)
  // Without audiences of its own the API is known by its issuers.
  const audiences = read.list('api-audiences')
  return {
    issuers,
    signingKeyFile: read.text('service-account-signing-key-file'),
    signingEndpoint: signingEndpointOf(read, gates),
    keyFiles: read.list('service-account-key-file'),
    audiences: audiences.length > 0 ? audiences : issuers,
    maxExpirationSeconds: Math.floor(maxMs / 1000),
    extendExpiration: read.bool('service-account-extend-token-expiration'),
    lookUp: read.bool('service-account-lookup'),
    keySetUrl,
  }
}
