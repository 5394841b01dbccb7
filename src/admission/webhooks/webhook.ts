import { runInTurns } from '../../lib/steps.ts'
import type { KubeObject } from '../../meta/object.ts'
import { compileConditions, type MatchConditions } from '../expressions/match-conditions.ts'
import { type MatchPolicy, type Rule, Selector } from '../matching.ts'
import type { WebhookClientConfig } from './target.ts'

/** What a webhook may do to a request: change it, or refuse it. */
export type WebhookKind = 'mutating' | 'validating'

/** One webhook of a configuration, read once. Its conditions are compiled when they are first needed. */
export interface Webhook {
  /** Tells it from all others of its kind. */
  readonly id: string
  readonly name: string
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

/** The webhooks of a configuration, which has been defaulted, in their order. */
export function webhooksOf(kind: WebhookKind, { metadata, webhooks }: KubeObject): Webhook[] {
  const repeated = new Map<string, number>()
  return (webhooks ?? []).map((hook: KubeObject['spec']) => {
    const count = repeated.get(hook.name) ?? 0
    repeated.set(hook.name, count + 1)
    return webhookOf(kind, `${metadata.name}/${hook.name}/${count}`, hook)
  })
}

function webhookOf(kind: WebhookKind, id: string, hook: KubeObject['spec']): Webhook {
  let conditions: Promise<MatchConditions> | undefined
  return {
    id,
    kind,
    name: hook.name,
    clientConfig: hook.clientConfig,
    rules: hook.rules ?? [],
    matchPolicy: hook.matchPolicy,
    namespaceSelector: new Selector(hook.namespaceSelector),
    objectSelector: new Selector(hook.objectSelector),
    failurePolicy: hook.failurePolicy,
    sideEffects: hook.sideEffects,
    timeoutMs: hook.timeoutSeconds * 1000,
    reviewVersions: hook.admissionReviewVersions ?? [],
    reinvocable: hook.reinvocationPolicy === 'IfNeeded',
    conditions() {
      conditions ??= runInTurns(compileConditions(hook.matchConditions ?? [], { authorizer: true }))
      return conditions
    },
  }
}
