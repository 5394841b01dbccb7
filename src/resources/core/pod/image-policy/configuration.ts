import { initError, type PluginConfigurations } from '../../../../admission/configuration-file.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../../api/meta/object.ts'
import { jsonKind } from '../../../../apply/patch/go-print.ts'
import { type Backoff, webhookBackoff } from '../../../../clients/backoff.ts'
import type { CertificateMetrics } from '../../../../clients/certificate-metrics.ts'
import { readKubeconfig } from '../../../../clients/kubeconfig.ts'
import { KubeconfigError } from '../../../../clients/kubeconfig-error.ts'
import { type RemoteClient, remoteClient } from '../../../../clients/remote-client.ts'
import { parseYaml, YamlError } from '../../../../codec/yaml.ts'
import type { Clock } from '../../../../lib/clock.ts'
import { formatDuration } from '../../../../lib/duration.ts'

/** Name of the plugin, also in its messages and in `--admission-control-config-file`. */
export const IMAGE_POLICY_PLUGIN = 'ImagePolicyWebhook'

/** Client of the webhook, and lifetimes of its verdicts. */
export interface ImagePolicy {
  /** Client of the webhook that the kubeconfig names. */
  readonly client: RemoteClient
  /** Delays between attempts of a call. */
  readonly backoff: Backoff
  /** Milliseconds. With 0 verdicts are not cached. */
  readonly allowTtlMs: number
  /** Milliseconds. With 0 refusals are not cached. */
  readonly denyTtlMs: number
  /** Whether pods are accepted if the webhook fails. */
  readonly defaultAllow: boolean
}

/**
 * Rule of a duration setting. The setting is a number of `unit`, in nanoseconds; 0 selects the default and -1 disables
 * it. Bounds are in nanoseconds, too.
 */
interface DurationRule {
  /** Nanoseconds per unit of the setting. */
  readonly unit: bigint
  /** Inclusive. */
  readonly least: bigint
  /** Inclusive. */
  readonly most: bigint
  /** Value for a setting of 0. */
  readonly preset: bigint
}

/** Nanoseconds, as in Go's time.Duration. The two below as well. */
const MS = 1_000_000n
const SECOND = 1000n * MS
const MINUTE = 60n * SECOND
/** Rules by setting. Source: plugin/pkg/admission/imagepolicy/config.go in k8s.io/kubernetes. */
const RULES = {
  retryBackoff: { unit: MS, least: 1n, most: 5n * MINUTE, preset: 500n * MS },
  allowTTL: { unit: SECOND, least: SECOND, most: 30n * MINUTE, preset: 5n * MINUTE },
  denyTTL: { unit: SECOND, least: SECOND, most: 30n * MINUTE, preset: 30n * SECOND },
} as const satisfies Readonly<Record<string, DurationRule>>

const imagePolicyError = (why: string): Error => initError(IMAGE_POLICY_PLUGIN, why)

/**
 * Reads the plugin's configuration and the kubeconfig that it refers to. Throws AdmissionConfigError with upstream's
 * message. https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#imagepolicywebhook
 */
export async function openImagePolicy(
  configurations: PluginConfigurations,
  clock: Clock,
  certificates?: CertificateMetrics,
): Promise<ImagePolicy> {
  const bytes = configurations.get(IMAGE_POLICY_PLUGIN)
  if (bytes === undefined) throw imagePolicyError('no config specified')
  const given = memberIgnoringCase(rootOf(bytes), 'imagePolicy') ?? {}
  if (!isJsonObject(given)) throw imagePolicyError(misfit(given, 'AdmissionConfig.imagePolicy', 'imagepolicy.imagePolicyWebhookConfig'))
  const kubeconfig = typed(given, 'kubeConfigFile', 'string') ?? ''
  const times = {
    retryBackoff: settingNanoseconds(given, 'retryBackoff'),
    allowTTL: settingNanoseconds(given, 'allowTTL'),
    denyTTL: settingNanoseconds(given, 'denyTTL'),
  }
  const defaultAllow = typed(given, 'defaultAllow', 'boolean') ?? false
  const retryBackoffMs = checkedMilliseconds('retryBackoff', times.retryBackoff)
  const [allowTtlMs, denyTtlMs] = [checkedMilliseconds('allowTTL', times.allowTTL), checkedMilliseconds('denyTTL', times.denyTTL)]
  try {
    const client = remoteClient(await readKubeconfig(kubeconfig), { clock, certificates })
    return { client, backoff: webhookBackoff(retryBackoffMs), allowTtlMs, denyTtlMs, defaultAllow }
  } catch (error) {
    throw error instanceof KubeconfigError ? imagePolicyError(error.message) : error
  }
}

/** Parses YAML or JSON. An empty file is an error, a null document an empty configuration. */
function rootOf(bytes: Buffer): JsonObject {
  if (bytes.toString().trim() === '') throw imagePolicyError('EOF')
  try {
    const { value } = parseYaml(bytes)
    if (value === null) return {}
    if (!isJsonObject(value))
      throw imagePolicyError(`json: cannot unmarshal ${jsonKind(value)} into Go value of type imagepolicy.AdmissionConfig`)
    return value
  } catch (error) {
    throw error instanceof YamlError ? imagePolicyError(error.message) : error
  }
}

/** Looks up a member as encoding/json does: by the exact name, or else ignoring case. Null counts as absent. */
function memberIgnoringCase(object: JsonObject, name: string): Json | undefined {
  const key = Object.hasOwn(object, name) ? name : Object.keys(object).find(each => each.toLowerCase() === name.toLowerCase())
  return (key === undefined ? undefined : object[key]) ?? undefined
}

const misfit = (value: Json, field: string, type: string): string =>
  `json: cannot unmarshal ${jsonKind(value)} into Go struct field ${field} of type ${type}`

/** Types of settings by the name that `typeof` gives. */
interface Types {
  readonly string: string
  readonly boolean: boolean
}

const isOf = <T extends keyof Types>(value: Json, type: T): value is Types[T] & Json => typeof value === type

/** Returns a setting, or undefined if it is absent or null. Throws AdmissionConfigError for another type. */
function typed<T extends keyof Types>(given: JsonObject, name: string, type: T): Types[T] | undefined {
  const value = memberIgnoringCase(given, name)
  if (value === undefined || isOf(value, type)) return value
  throw imagePolicyError(misfit(value, `imagePolicyWebhookConfig.imagePolicy.${name}`, type === 'boolean' ? 'bool' : type))
}

/** Converts a setting to nanoseconds, by its rule. */
function settingNanoseconds(given: JsonObject, name: keyof typeof RULES): bigint {
  const value = memberIgnoringCase(given, name) ?? 0
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value))) return BigInt(value)
  throw imagePolicyError(misfit(value, `imagePolicyWebhookConfig.imagePolicy.${name}`, 'time.Duration'))
}

/** Converts nanoseconds to milliseconds, or -1 to 0. Throws AdmissionConfigError for a value out of bounds. */
function checkedMilliseconds(name: keyof typeof RULES, value: bigint): number {
  const { unit, least, most, preset }: DurationRule = RULES[name]
  if (value === -1n) return 0
  const nanos = value === 0n ? preset : value * unit
  if (nanos < least || nanos > most)
    throw imagePolicyError(`valid value is between ${formatDuration(least)} and ${formatDuration(most)}, got ${formatDuration(nanos)}`)
  return Number(nanos) / 1e6
}
