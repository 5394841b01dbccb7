import type { FlagReader } from './flag-reader.ts'
import { FlagError } from './parse-flags.ts'

/** Values of the `--authentication-token-webhook-*` flags. */
export interface TokenWebhookConfig {
  readonly kubeconfigFile: string
  readonly version: 'v1' | 'v1beta1'
  /** Milliseconds. 0 disables caching. */
  readonly cacheTtlMs: number
}

/** Parses the token webhook flags. Undefined if webhook token authentication is disabled. Throws FlagError with kube-apiserver's message. */
export function tokenWebhookOf(read: FlagReader): TokenWebhookConfig | undefined {
  const kubeconfigFile = read.text('authentication-token-webhook-config-file')
  if (kubeconfigFile === undefined) return undefined
  const version = read.text('authentication-token-webhook-version') ?? ''
  if (version !== 'v1' && version !== 'v1beta1')
    throw new FlagError(`unsupported authentication webhook version ${JSON.stringify(version)}, supported versions are "v1", "v1beta1"`)
  return { kubeconfigFile, version, cacheTtlMs: read.duration('authentication-token-webhook-cache-ttl') }
}
