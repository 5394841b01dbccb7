import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  NamedRuleWithOperations,
  WebhookClientConfig,
} from '../../api/admissionregistration/v1.types.ts'
import { runInTurns } from '../../lib/steps.ts'
import { compileConditions, type MatchConditions } from '../expressions/match-conditions.ts'
import { type MatchPolicy, Selector } from '../matching.ts'

/** Timeout of a webhook without one, in seconds: the default of v1. */
const DEFAULT_SECONDS = 10

/** Type of a webhook: mutating ones may change the object, validating ones only reject it. */
export type WebhookKind = 'mutating' | 'validating'

/** Parsed webhook of a configuration. Its match conditions are compiled on first use. */
export interface Webhook {
  /** Unique among webhooks of its kind. */
  readonly id: string
  /** Name in its configuration. v1 requires that it is unique there. */
  readonly name: string
  /** Name of its configuration. */
  readonly configuration: string
  readonly kind: WebhookKind
  /** URL or service, and the CAs of its certificate. */
  readonly clientConfig: WebhookClientConfig
  /** The webhook is called if one of them matches. */
  readonly rules: readonly NamedRuleWithOperations[]
  readonly matchPolicy: MatchPolicy
  /** Matches the labels of the object's namespace, or of the object itself if it is a namespace. */
  readonly namespaceSelector: Selector
  /** Matches the labels of the new or of the old object. */
  readonly objectSelector: Selector
  /** Applies to calls that fail, and to match conditions that cannot be evaluated. A rejection is not a failure. */
  readonly failurePolicy: 'Fail' | 'Ignore'
  /** `None`, `NoneOnDryRun`, or a value of v1beta1 with which the webhook rejects dry runs. */
  readonly sideEffects: string | undefined
  /** Timeout of a call in milliseconds, within the deadline of the request. */
  readonly timeoutMs: number
  /** Versions of AdmissionReview, in the webhook's order of preference. */
  readonly reviewVersions: readonly string[]
  /** Whether its reinvocationPolicy is IfNeeded. */
  readonly reinvocable: boolean
  /** Returns the compiled match conditions. The first call compiles them. */
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
