import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { AdmissionPlugin } from '../../../admission/chain.ts'
import { initError, type PluginConfigurations, pluginConfiguration } from '../../../admission/configuration-file.ts'
import { isAbout } from '../../../admission/refuse.ts'
import { asKind } from '../../../catalog/define.ts'
import { aggregate } from '../../../lib/aggregate.ts'
import type { Clock } from '../../../lib/clock.ts'
import { TokenBucket } from '../../../lib/token-bucket.ts'
import { type FieldError, fieldErrorText, invalid, notSupported, verbatim } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { failure } from '../../../meta/status.ts'
import type { AdmissionRequest } from '../../../registry/types.ts'
import { TypeRegistry } from '../../../schema/idl.ts'
import { EVENTS } from '../../kinds.ts'

/** Name of the plugin in the file and in messages. */
const PLUGIN = 'EventRateLimit'
/** Only version of the configuration. */
const VERSION = 'eventratelimit.admission.k8s.io/v1alpha1'
/** Buckets per limit if its cacheSize is 0 or absent. */
const DEFAULT_CACHE_SIZE = 4096
/**
 * Longest key that is kept as it is, in UTF-16 code units. Longer keys are hashed: the object of an event may have
 * names as long as a request body.
 */
const LONGEST_KEY = 1024

/** Bucket key of a request, by the type of limit. */
const KEYS = {
  Namespace: ({ namespace }: AdmissionRequest): string => namespace,
  Server: (): string => '',
  SourceAndObject: sourceAndObject,
  User: ({ ctx }: AdmissionRequest): string => ctx.user.name,
} as const

/** Type of limit, as in the configuration. */
type LimitType = keyof typeof KEYS

/** A limit as configured. Every request takes a token from each limit. */
interface Limit {
  /** Selects the key of the bucket. */
  readonly type: LimitType
  /** Requests per second, after `burst` requests have been admitted without waiting. */
  readonly qps: number
  /** Capacity of a bucket. */
  readonly burst: number
  /** Number of buckets to keep, the most recently used ones. Default and 0: the plugin's default. */
  readonly cacheSize?: number
}

/** Joins the parts without separators, as upstream. Requests without an object share one key. */
function sourceAndObject({ object }: AdmissionRequest): string {
  if (!object) return ''
  const { source, involvedObject } = asKind(EVENTS, object)
  const { kind, namespace, name, uid, apiVersion } = involvedObject
  return [source.component, source.host, kind, namespace, name, uid, apiVersion].join('')
}

/**
 * Reads the limits of the plugin's configuration, at least one. Throws AdmissionConfigError with upstream's message,
 * and, unlike upstream, also for unknown members.
 */
export function eventLimits(configurations: PluginConfigurations): readonly Limit[] {
  const given = pluginConfiguration(configurations, PLUGIN, (version, kind) =>
    kind === 'Configuration' && version === VERSION
      ? new TypeRegistry()
          .addFile('eventratelimit', join(import.meta.dirname, 'event-rate-limit.types'))
          .type('eventratelimit.Configuration')
      : undefined,
  ) as { readonly limits?: readonly Limit[] } | undefined
  const limits = given?.limits ?? []
  const errors = validateLimits(limits)
  if (errors.length > 0) throw initError(PLUGIN, aggregate(errors.map(fieldErrorText)))
  return limits
}

/** The limit of the server has one bucket, so its cache size is not validated. */
function validateLimits(limits: readonly Limit[]): FieldError[] {
  const path = fieldPath('limits')
  if (limits.length === 0) return [invalid(path, verbatim('[]eventratelimit.Limit(nil)'), 'must not be empty')]
  return limits.flatMap(({ type, qps, burst, cacheSize = 0 }, i) => {
    const at = path.index(i)
    return [
      ...(Object.hasOwn(KEYS, type) ? [] : [notSupported(at.child('type'), type, Object.keys(KEYS))]),
      ...(burst > 0 ? [] : [invalid(at.child('burst'), burst, 'must be positive')]),
      ...(qps > 0 ? [] : [invalid(at.child('qps'), qps, 'must be positive')]),
      ...(cacheSize < 0 && type !== 'Server' ? [invalid(at.child('cacheSize'), cacheSize, 'must not be negative')] : []),
    ]
  })
}

/** Token buckets by key. The least recently used bucket is evicted to make room for a new one. */
class Buckets {
  readonly #limit: Limit
  readonly #most: number
  readonly #clock: Clock
  readonly #buckets = new Map<string, TokenBucket>()

  constructor(limit: Limit, clock: Clock) {
    this.#limit = limit
    this.#most = limit.cacheSize || DEFAULT_CACHE_SIZE
    this.#clock = clock
  }

  /** Takes a token from the bucket of the key and reports if there was one. */
  take(text: string): boolean {
    const key = text.length > LONGEST_KEY ? createHash('sha256').update(text).digest('base64') : text
    const bucket = this.#buckets.get(key) ?? new TokenBucket(this.#limit.burst, this.#limit.qps, this.#clock)
    this.#buckets.delete(key)
    this.#buckets.set(key, bucket)
    const [oldest] = this.#buckets.keys()
    if (this.#buckets.size > this.#most && oldest !== undefined) this.#buckets.delete(oldest)
    return bucket.take()
  }
}

/**
 * EventRateLimit rejects events that exceed the limit of the server, a namespace, a user, or the combination of source
 * and object. Dry-run requests do not count.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#eventratelimit
 */
export function eventRateLimit(limits: readonly Limit[], clock: Clock): AdmissionPlugin {
  const enforced = limits.map(limit => ({ type: limit.type, buckets: new Buckets(limit, clock) }))
  return {
    name: PLUGIN,
    handles: request => (request.operation === 'CREATE' || request.operation === 'UPDATE') && !request.dryRun && isAbout(request, 'events'),
    validate: async request => {
      const refusals = enforced.flatMap(({ type, buckets }) => {
        const key = KEYS[type](request)
        return buckets.take(key) ? [] : [`limit reached on type ${type} for key ${key}`]
      })
      if (refusals.length > 0) throw failure(429, 'TooManyRequests', `Too many requests: ${aggregate(refusals)}`)
    },
  }
}
