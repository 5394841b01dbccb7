/** What versions call the types of a few fields of webhooks. */
export interface WebhookTypeNames {
  readonly rule: string
  readonly failurePolicy: string
  readonly matchPolicy: string
  readonly sideEffects: string
  readonly reinvocationPolicy: string
  readonly reviewVersions: string
  /** Behind sideEffects of a validating webhook. */
  readonly validatingMark: '' | ' strayatomic'
}

/** The types of webhook configurations. */
export const webhookTypes = (names: WebhookTypeNames): string => `
type MutatingWebhook
  name 1 string
  clientConfig 2 WebhookClientConfig
  rules 3 []${names.rule}? atomic
  failurePolicy 4 ${names.failurePolicy}
  matchPolicy 9 ${names.matchPolicy}
  namespaceSelector 5 *meta.LabelSelector?
  objectSelector 11 *meta.LabelSelector?
  sideEffects 6 ${names.sideEffects}
  timeoutSeconds 7 *int32?
  admissionReviewVersions 8 ${names.reviewVersions} atomic
  reinvocationPolicy 10 ${names.reinvocationPolicy}
  matchConditions 12 []MatchCondition? map(name) merge(name)

type MutatingWebhookConfiguration typemeta
  metadata 1 meta.ObjectMeta?
  webhooks 2 []MutatingWebhook? map(name) merge(name)

type MutatingWebhookConfigurationList typemeta
  metadata 1 meta.ListMeta?
  items 2 []MutatingWebhookConfiguration

type ServiceReference
  namespace 1 string
  name 2 string
  path 3 *string?
  port 4 *int32?

type ValidatingWebhook
  name 1 string
  clientConfig 2 WebhookClientConfig
  rules 3 []${names.rule}? atomic
  failurePolicy 4 ${names.failurePolicy}
  matchPolicy 9 ${names.matchPolicy}
  namespaceSelector 5 *meta.LabelSelector?
  objectSelector 10 *meta.LabelSelector?
  sideEffects 6 ${names.sideEffects}${names.validatingMark}
  timeoutSeconds 7 *int32?
  admissionReviewVersions 8 ${names.reviewVersions} atomic
  matchConditions 11 []MatchCondition? map(name) merge(name)

type ValidatingWebhookConfiguration typemeta
  metadata 1 meta.ObjectMeta?
  webhooks 2 []ValidatingWebhook? map(name) merge(name)

type ValidatingWebhookConfigurationList typemeta
  metadata 1 meta.ListMeta?
  items 2 []ValidatingWebhookConfiguration

type WebhookClientConfig
  url 3 *string?
  service 1 *ServiceReference?
  caBundle 2 bytes?
`
