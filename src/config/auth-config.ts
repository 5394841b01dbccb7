import { aggregate } from '../lib/aggregate.ts'
import { quote } from '../lib/go-quote.ts'
import type { Features, Gates } from '../lifecycle/gates.ts'
import { GoUrlError, parseGoUrl } from '../meta/go-url.ts'
import type { FlagReader } from './flag-reader.ts'
import { FlagError } from './parse-flags.ts'
import type { Profile } from './place-config.ts'

/** Implemented authorization modes. `Rules` is specific to Binnacle: a file of allow rules. */
export type AuthorizationMode = 'ABAC' | 'AlwaysAllow' | 'AlwaysDeny' | 'Node' | 'RBAC' | 'Rules' | 'Webhook'
/** Issuing and verification of service account tokens. */
export interface ServiceAccountConfig {
  /** The first issues tokens; tokens of all are accepted. Never empty. */
  readonly issuers: readonly string[]
  /** Default: a key is generated. */
  readonly signingKeyFile: string | undefined
  /** Socket of an external token signer. */
  readonly signingEndpoint: string | undefined
  readonly keyFiles: readonly string[]
  /** Audiences of this server. Never empty. */
  readonly audiences: readonly string[]
  /** Maximum requested lifetime. 0: unlimited. */
  readonly maxExpirationSeconds: number
  readonly extendExpiration: boolean
  /** Whether tokens in Secrets require that their Secret and account still exist. */
  readonly lookUp: boolean
  /** Published URL of the key set. Undefined for this server's own. */
  readonly keySetUrl: string | undefined
}

/** Authentication by a front proxy. */
export interface RequestHeaderConfig {
  /** Undefined if the server issues the certificate of its front proxy itself. */
  readonly clientCaFile: string | undefined
  /** Allowed common names of front proxies. Empty allows every client certificate. */
  readonly allowedNames: readonly string[]
  readonly usernameHeaders: readonly string[]
  readonly uidHeaders: readonly string[]
  readonly groupHeaders: readonly string[]
  readonly extraHeaderPrefixes: readonly string[]
}

/** Common name of the certificate that the server shows to aggregated servers, as in a cluster of kubeadm. */
export const FRONT_PROXY = 'front-proxy-client'

/** The server is its only front proxy. Names and headers are those of kubeadm. */
const OWN_FRONT_PROXY: RequestHeaderConfig = {
  clientCaFile: undefined,
  allowedNames: [FRONT_PROXY],
  usernameHeaders: ['X-Remote-User'],
  uidHeaders: [],
  groupHeaders: ['X-Remote-Group'],
  extraHeaderPrefixes: ['X-Remote-Extra-'],
}

/** Whether the server issues the certificate of its front proxy itself. */
export const isOwnFrontProxy = ({ requestHeader }: { readonly requestHeader: RequestHeaderConfig | undefined }): boolean =>
  requestHeader === OWN_FRONT_PROXY

const UID_GATE = 'RemoteRequestHeaderUID'
const hasHeader = (headers: readonly string[], name: string): boolean => headers.some(header => header.toLowerCase() === name.toLowerCase())

/**
 * Parses the `--requestheader-*` flags. Undefined if no front proxy is configured. A server of the profile `cluster`
 * without flags of front proxies is its own. Throws FlagError with kube-apiserver's message.
 */
export function requestHeaderOf(profile: Profile, read: FlagReader, features: Features): RequestHeaderConfig | undefined {
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
  if (lists.uidHeaders.length > 0 && !hasHeader(lists.uidHeaders, 'X-Remote-Uid'))
    throw new FlagError(
      '--requestheader-uid-headers is set without specifying the standard X-Remote-Uid header - API aggregation will not work',
    )
  const clientCaFile = read.text('requestheader-client-ca-file')
  if (clientCaFile !== undefined) return { clientCaFile, ...lists }
  return profile === 'cluster' && read.text('proxy-client-cert-file') === undefined ? OWN_FRONT_PROXY : undefined
}

/** Warnings of kube-apiserver about front proxy flags. */
export function requestHeaderWarnings(read: FlagReader): string[] {
  const lacks = (
    flag: 'requestheader-username-headers' | 'requestheader-group-headers' | 'requestheader-extra-headers-prefix',
    name: string,
  ): boolean => read.list(flag).length > 0 && !hasHeader(read.list(flag), name)
  const warning = (flag: string, what: string): string =>
    `--${flag} is set without specifying the standard ${what} - API aggregation will not work`
  return [
    ...(lacks('requestheader-username-headers', 'X-Remote-User')
      ? [warning('requestheader-username-headers', 'X-Remote-User header')]
      : []),
    ...(lacks('requestheader-group-headers', 'X-Remote-Group') ? [warning('requestheader-group-headers', 'X-Remote-Group header')] : []),
    ...(lacks('requestheader-extra-headers-prefix', 'X-Remote-Extra-')
      ? [warning('requestheader-extra-headers-prefix', 'X-Remote-Extra- header prefix')]
      : []),
  ]
}

/** Returns the authorization modes. Default: RBAC, as in every cluster. */
export function authorizationModesOf(read: FlagReader): readonly AuthorizationMode[] {
  const given = read.list('authorization-mode')
  if (given.length > 0) return given.map(authorizationMode)
  return read.text('authorization-rules-file') === undefined ? ['RBAC'] : ['Rules', 'RBAC']
}

/** Throws FlagError if the mode is unknown or not implemented. */
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

/** Range of --service-account-max-token-expiration in milliseconds, as kube-apiserver. */
const LEAST_TOKEN_MS = 3_600_000
const MOST_TOKEN_MS = 2 ** 32 * 1000

/** Validates the issuers. Throws FlagError with kube-apiserver's message. */
function checkIssuers(issuers: readonly string[]): void {
  for (const [i, issuer] of issuers.entries()) {
    if (issuer.includes(':'))
      checkUrl(issuer, why => `service-account-issuer ${quote(issuer)} contained a ':' but was not a valid URL: ${why}`)
    if (issuers.indexOf(issuer) < i) throw new FlagError(`service-account-issuer ${quote(issuer)} is already specified`)
  }
}

/** Validates a URL. Throws FlagError. */
function checkUrl(url: string, fault: (why: string) => string): void {
  try {
    parseGoUrl(url)
  } catch (error) {
    if (!(error instanceof GoUrlError)) throw error
    throw new FlagError(fault(error.message))
  }
}

/** A path, or a name in the abstract namespace. Unambiguous, so that matching is linear. */
const SOCKET = /^(?:(?:\/[^/ ]*)+|@(?:[a-zA-Z0-9_-]+\.)*[a-zA-Z0-9_-]+)$/

/** Parses the endpoint of the external signer. Throws FlagError with kube-apiserver's message. */
function signingEndpointOf(read: FlagReader, gates: Gates): string | undefined {
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

/** Parses the service account flags. Throws FlagError with kube-apiserver's message. */
export function serviceAccountsOf(read: FlagReader, gates: Gates): ServiceAccountConfig {
  const issuers = read.list('service-account-issuer')
  checkIssuers(issuers)
  const maxMs = read.duration('service-account-max-token-expiration')
  if (maxMs !== 0 && (maxMs < LEAST_TOKEN_MS || maxMs > MOST_TOKEN_MS))
    throw new FlagError('the service-account-max-token-expiration must be between 1 hour and 2^32 seconds')
  const keySetUrl = read.text('service-account-jwks-uri')
  if (keySetUrl !== undefined) checkUrl(keySetUrl, why => `service-account-jwks-uri must be a valid URL: ${why}`)
  if (keySetUrl !== undefined && !/^https:\/\//.test(keySetUrl))
    throw new FlagError(`service-account-jwks-uri requires https scheme, parsed as: ${keySetUrl}`)
  // The audiences default to the issuers.
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
