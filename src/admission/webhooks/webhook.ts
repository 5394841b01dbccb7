import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  NamedRuleWithOperations,
  WebhookClientConfig,
} from '../../api/admissionregistration/v1.types.ts'
import { runInTurns } from '../../lib/steps.ts'
import { compileConditions, type MatchConditions } from '../expressions/match-conditions.ts'
import { type MatchPolicy, Selector } from '../matching.ts'

const DEFAULT_SECONDS = 10

/** Type of a webhook: mutating ones may change the object, validating ones only reject it. */
export type WebhookKind = 'mutating' | 'validating'

/** Parsed webhook of a configuration. Its match conditions are compiled on first use. */
export interface Webhook {
  /** Unique among webhooks of its kind. */
  readonly id: string
  readonly name: string
  /** Name of its configuration. */
  readonly configuration: string
  readonly kind: WebhookKind
  readonly clientConfig: WebhookClientConfig
  readonly rules: readonly NamedRuleWithOperations[]
  readonly matchPolicy: MatchPolicy
  readonly namespaceSelector: Selector
  readonly objectSelector: Selector
  readonly failurePolicy: 'Fail' | 'Ignore'
  readonly sideEffects: string | undefined
  readonly timeoutMs: number
  /** In the webhook's order of preference. */
  readonly reviewVersions: readonly string[]
  /** Whether its reinvocationPolicy is IfNeeded. */
  readonly reinvocable: boolean
  conditions(): Promise<MatchConditions>
}

/** A configuration of either kind. Webhooks of a ValidatingWebhookConfiguration have no reinvocationPolicy. */
export type WebhookConfiguration = MutatingWebhookConfiguration

/**
 * Parses the webhooks of a defaulted configuration, in their order. `source`: prefix of their ids, empty for stored
 * configurations.
 */
export function webhooksOf(kind: WebhookKind, { metadata, webhooks = [] }: WebhookConfiguration, source = ''): Webhook[] {
  const repeated = new Map<string, number>()
  return webhooks.map(hook => {
    const count = repeated.get(hook.name) ?? 0
    repeated.set(hook.name, count + 1)
    const configuration = metadata.name ?? ''
    return webhookOf({ kind, configuration, id: `${source}${configuration}/${hook.name}/${count}` }, hook)
  })
}

/** Members that a configuration of an older version may lack have the defaults of v1 here. */
function webhookOf({ kind, configuration, id }: Pick<Webhook, 'kind' | 'configuration' | 'id'>, hook: MutatingWebhook): Webhook {
  let conditions: Promise<MatchConditions> | undefined
  return {
    id,
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
