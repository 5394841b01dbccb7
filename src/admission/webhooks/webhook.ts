import { runInTurns } from '../../lib/steps.ts'
import type { LabelSelector } from '../../meta/label-selector.ts'
import type { TypedObject } from '../../meta/object.ts'
import { compileConditions, type MatchConditions } from '../expressions/match-conditions.ts'
import { type MatchPolicy, type Rule, Selector } from '../matching.ts'
import type { WebhookClientConfig } from './target.ts'

const DEFAULT_SECONDS = 10

/** What a webhook may do to a request: change it, or refuse it. */
export type WebhookKind = 'mutating' | 'validating'

/** One webhook of a configuration, read once. Its conditions are compiled when they are first needed. */
export interface Webhook {
  /** Unique among those of its kind. */
  readonly id: string
  readonly name: string
  /** The name of its configuration. */
  readonly configuration: string
  readonly kind: WebhookKind
  readonly clientConfig: WebhookClientConfig
  readonly rules: readonly Rule[]
  readonly matchPolicy: MatchPolicy
  readonly namespaceSelector: Selector
  readonly objectSelector: Selector
  readonly failurePolicy: 'Fail' | 'Ignore'
  readonly sideEffects: string | undefined
  readonly timeoutMs: number
  /** In the webhook's order of preference. */
  readonly reviewVersions: readonly string[]
  /** It is asked again where others have changed the object after it. */
  readonly reinvocable: boolean
  conditions(): Promise<MatchConditions>
}

/**
 * What is read of MutatingWebhookConfiguration and ValidatingWebhookConfiguration (admissionregistration.k8s.io/v1), decoded and defaulted. Kinds are declared in a layer above this one,
 * and theirs are assignable to it.
 */
export type WebhookConfiguration = TypedObject & { readonly webhooks?: readonly WebhookSpec[] }

interface WebhookSpec {
  readonly name: string
  readonly clientConfig: WebhookClientConfig
  readonly rules?: readonly Rule[]
  readonly failurePolicy?: string
  readonly matchPolicy?: string
  readonly namespaceSelector?: LabelSelector
  readonly objectSelector?: LabelSelector
  readonly sideEffects: string | null
  readonly timeoutSeconds?: number
  readonly admissionReviewVersions: readonly string[] | null
  /** Of mutating webhooks. */
  readonly reinvocationPolicy?: string
  readonly matchConditions?: Parameters<typeof compileConditions>[0]
}

/** The webhooks of a configuration, which has been defaulted, in their order. */
export function webhooksOf(kind: WebhookKind, { metadata, webhooks = [] }: WebhookConfiguration): Webhook[] {
  const repeated = new Map<string, number>()
  return webhooks.map(hook => {
    const count = repeated.get(hook.name) ?? 0
    repeated.set(hook.name, count + 1)
    return webhookOf(kind, metadata.name ?? '', count, hook)
  })
}

/** `count`: of those before it that have the same name. */
function webhookOf(kind: WebhookKind, configuration: string, count: number, hook: WebhookSpec): Webhook {
  let conditions: Promise<MatchConditions> | undefined
  return {
    id: `${configuration}/${hook.name}/${count}`,
    configuration,
    kind,
    name: hook.name,
    clientConfig: hook.clientConfig,
    rules: hook.rules ?? [],
    matchPolicy: hook.matchPolicy === 'Exact' ? 'Exact' : 'Equivalent',
    namespaceSelector: new Selector(hook.namespaceSelector),
    objectSelector: new Selector(hook.objectSelector),
    failurePolicy: hook.failurePolicy === 'Ignore' ? 'Ignore' : 'Fail',
    sideEffects: hook.sideEffects ?? undefined,
    timeoutMs: (hook.timeoutSeconds ?? DEFAULT_SECONDS) * 1000,
    reviewVersions: hook.admissionReviewVersions ?? [],
    reinvocable: hook.reinvocationPolicy === 'IfNeeded',
    conditions() {
      conditions ??= runInTurns(compileConditions(hook.matchConditions ?? [], { authorizer: true }))
      return conditions
    },
  }
}
