import type { Gates } from '../lifecycle/gates.ts'
import { type RequestHeaderConfig, requestHeaderOf, type ServiceAccountConfig, serviceAccountsOf } from './auth-config.ts'
import { type AuthenticationConfig, authenticationOf } from './authentication-config.ts'
import { type AuthorizationConfig, authorizationOf } from './authorization-config.ts'
import type { FlagReader } from './flag-reader.ts'
import { FlagError, type GivenFlags } from './parse-flags.ts'
import type { Profile } from './place-config.ts'
import type { ReleaseConfig } from './release-config.ts'

/** Authentication and authorization of requests. Files are paths. */
export interface AccessConfig {
  /** CAs of client certificates. Undefined if certificates do not authenticate. */
  readonly clientCaFile: string | undefined
  /** Undefined if no proxy may authenticate users. */
  readonly requestHeader: RequestHeaderConfig | undefined
  /** Whether bootstrap tokens in Secrets of kube-system are accepted. */
  readonly bootstrapTokens: boolean
  /** CSV file with static tokens. Undefined if there are none. */
  readonly tokenAuthFile: string | undefined
  /** Undefined if webhook token authentication is disabled. */
  readonly tokenWebhook: TokenWebhookConfig | undefined
  /** Keys, issuers and lifetimes of service account tokens. */
  readonly serviceAccounts: ServiceAccountConfig
  /** Anonymous requests, OpenID Connect and the authentication configuration file. */
  readonly authentication: AuthenticationConfig
  /** Modes in their order, and the files and webhooks that they use. */
  readonly authorization: AuthorizationConfig
}

/** The groups of the configuration that authentication and authorization read. */
export interface AccessGroups {
  /** Parsed from flags of both. */
  readonly access: AccessConfig
  /** Release and feature gates, on which the available flags depend. */
  readonly release: ReleaseConfig
}

/** Parses the flags of authentication and authorization. Throws FlagError. */
export const accessOf = (profile: Profile, read: FlagReader, given: GivenFlags, gates: Gates): AccessConfig => ({
  bootstrapTokens: read.bool('enable-bootstrap-token-auth'),
  clientCaFile: read.text('client-ca-file'),
  requestHeader: requestHeaderOf(profile, read, gates),
  tokenAuthFile: read.text('token-auth-file'),
  tokenWebhook: tokenWebhookOf(read),
  authentication: authenticationOf(read, given, gates),
  authorization: authorizationOf(read, given, gates),
  serviceAccounts: serviceAccountsOf(read, gates),
})

/** Values of the `--authentication-token-webhook-*` flags. */
export interface TokenWebhookConfig {
  /** Kubeconfig with the address of the webhook. */
  readonly kubeconfigFile: string
  /** Version of TokenReview that the webhook receives. */
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
