import type { Gates } from '../lifecycle/gates.ts'
import { type RequestHeaderConfig, requestHeaderOf, type ServiceAccountConfig, serviceAccountsOf } from './auth-config.ts'
import { type AuthenticationConfig, authenticationOf } from './authentication-config.ts'
import { type AuthorizationConfig, authorizationOf } from './authorization-config.ts'
import type { FlagReader } from './flag-reader.ts'
import { FlagError, type GivenFlags } from './parse-flags.ts'
import type { ReleaseConfig } from './release-config.ts'

/** Authentication and authorization of requests. Files are paths. */
export interface AccessConfig {
  readonly clientCaFile: string | undefined
  readonly requestHeader: RequestHeaderConfig | undefined
  /** Whether bootstrap tokens in Secrets of kube-system are accepted. */
  readonly bootstrapTokens: boolean
  readonly tokenAuthFile: string | undefined
  /** Undefined if webhook token authentication is disabled. */
  readonly tokenWebhook: TokenWebhookConfig | undefined
  readonly serviceAccounts: ServiceAccountConfig
  readonly authentication: AuthenticationConfig
  readonly authorization: AuthorizationConfig
}

/** The groups of the configuration that authentication and authorization read. */
export interface AccessGroups {
  readonly access: AccessConfig
  readonly release: ReleaseConfig
}

/** Parses the flags of authentication and authorization. Throws FlagError. */
export const accessOf = (read: FlagReader, given: GivenFlags, gates: Gates): AccessConfig => ({
  bootstrapTokens: read.bool('enable-bootstrap-token-auth'),
  clientCaFile: read.text('client-ca-file'),
  requestHeader: requestHeaderOf(read, gates),
  tokenAuthFile: read.text('token-auth-file'),
  tokenWebhook: tokenWebhookOf(read),
  authentication: authenticationOf(read, given, gates),
  authorization: authorizationOf(read, given, gates),
  serviceAccounts: serviceAccountsOf(read, gates),
})

/** Values of the `--authentication-token-webhook-*` flags. */
export interface TokenWebhookConfig {
  readonly kubeconfigFile: string
  readonly version: 'v1' | 'v1beta1'
  /** Milliseconds. 0 disables caching. */
  readonly cacheTtlMs: number
}

/**
 * Parses the token webhook flags. Undefined if webhook token authentication is disabled. Throws FlagError with
 * kube-apiserver's message.
 */
function tokenWebhookOf(read: FlagReader): TokenWebhookConfig | undefined {
  const kubeconfigFile = read.text('authentication-token-webhook-config-file')
  if (kubeconfigFile === undefined) return undefined
  const version = read.text('authentication-token-webhook-version') ?? ''
  if (version !== 'v1' && version !== 'v1beta1')
    throw new FlagError(`unsupported authentication webhook version ${JSON.stringify(version)}, supported versions are "v1", "v1beta1"`)
  return { kubeconfigFile, version, cacheTtlMs: read.duration('authentication-token-webhook-cache-ttl') }
}
