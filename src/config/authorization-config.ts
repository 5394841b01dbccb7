import type { Gates } from '../lifecycle/gates.ts'
import { type AuthorizationMode, authorizationModesOf } from './auth-config.ts'
import type { FlagReader } from './flag-reader.ts'
import type { FlagName } from './flag-table.ts'
import { FlagError, type GivenFlags } from './parse-flags.ts'

/** Values of the `--authorization-webhook-*` flags. Times in milliseconds. A TTL of 0 disables caching. */
export interface AuthorizationWebhookConfig {
  readonly kubeconfigFile: string
  readonly version: 'v1' | 'v1beta1'
  readonly authorizedTtlMs: number
  readonly unauthorizedTtlMs: number
}

/** Authorization. */
export interface AuthorizationConfig {
  /** Modes in order. Empty if a configuration file is given. */
  readonly modes: readonly AuthorizationMode[]
  /** File of `--authorization-config`. */
  readonly configFile: string | undefined
  readonly rulesFile: string | undefined
  /** Policy file of the mode ABAC. */
  readonly policyFile: string | undefined
  /** Webhook of the mode Webhook. */
  readonly webhook: AuthorizationWebhookConfig | undefined
}

/** Flags that are mutually exclusive with `--authorization-config`. */
const LEGACY_FLAGS: readonly FlagName[] = [
  'authorization-mode',
  'authorization-rules-file',
  'authorization-webhook-cache-authorized-ttl',
  'authorization-webhook-cache-unauthorized-ttl',
  'authorization-webhook-config-file',
  'authorization-webhook-version',
]

/** Parses the authorization flags. Throws FlagError with kube-apiserver's message. */
export function authorizationOf(read: FlagReader, { values }: GivenFlags, gates: Gates): AuthorizationConfig {
  const file = read.text('authorization-config')
  if (file === undefined) return ofFlags(read)
  if (!gates.enabled('StructuredAuthorizationConfiguration'))
    throw new FlagError('--authorization-config cannot be used without enabling StructuredAuthorizationConfiguration feature flag')
  if (LEGACY_FLAGS.some(name => values.has(name)))
    throw new FlagError(
      '--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined',
    )
  return { modes: [], configFile: file, rulesFile: undefined, policyFile: read.text('authorization-policy-file'), webhook: undefined }
}

/** Parses the flags of modes and webhook. Throws FlagError with kube-apiserver's message. */
function ofFlags(read: FlagReader): AuthorizationConfig {
  const modes = authorizationModesOf(read)
  const kubeconfigFile = read.text('authorization-webhook-config-file')
  const policyFile = read.text('authorization-policy-file')
  const hasPolicies = modes.includes('ABAC')
  if (hasPolicies && policyFile === undefined) throw new FlagError("authorization-mode ABAC's authorization policy file not passed")
  if (!hasPolicies && policyFile !== undefined) throw new FlagError('cannot specify --authorization-policy-file without mode ABAC')
  const hasWebhook = modes.includes('Webhook')
  if (hasWebhook && kubeconfigFile === undefined) throw new FlagError("authorization-mode Webhook's authorization config file not passed")
  if (!hasWebhook && kubeconfigFile !== undefined)
    throw new FlagError('cannot specify --authorization-webhook-config-file without mode Webhook')
  if (new Set(modes).size < modes.length)
    throw new FlagError(`authorization-mode [${modes.map(mode => JSON.stringify(mode)).join(' ')}] has mode specified more than once`)
  return {
    modes,
    configFile: undefined,
    rulesFile: read.text('authorization-rules-file'),
    policyFile,
    webhook: kubeconfigFile === undefined ? undefined : webhookOf(read, kubeconfigFile),
  }
}

const webhookOf = (read: FlagReader, kubeconfigFile: string): AuthorizationWebhookConfig => ({
  kubeconfigFile,
  version: webhookVersion(read.text('authorization-webhook-version') ?? ''),
  authorizedTtlMs: read.duration('authorization-webhook-cache-authorized-ttl'),
  unauthorizedTtlMs: read.duration('authorization-webhook-cache-unauthorized-ttl'),
})

function webhookVersion(version: string): 'v1' | 'v1beta1' {
  if (version === 'v1' || version === 'v1beta1') return version
  throw new FlagError(`unsupported webhook authorizer version ${JSON.stringify(version)}, supported versions are "v1", "v1beta1"`)
}
