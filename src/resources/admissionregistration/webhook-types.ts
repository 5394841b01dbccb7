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
type MutatingWebhook # A service that may change objects before they are stored.
  name 1 string # Name of the webhook, in full, such as \`imagepolicy.example.com\`.
  clientConfig 2 WebhookClientConfig # Where the webhook is called, and what certificate it shows.
  rules 3 []${names.rule}? atomic # What operations on what resources it is called for: one of the rules suffices.
  failurePolicy 4 ${names.failurePolicy} # Fail refuses the request where the webhook cannot be asked; Ignore goes on without it.
  matchPolicy 9 ${names.matchPolicy} # Equivalent: also requests for another version of a resource in the rules. Exact: only what the rules name.
  namespaceSelector 5 *meta.LabelSelector? # Only objects of namespaces with these labels; objects without a namespace match always.
  objectSelector 11 *meta.LabelSelector? # Only objects with these labels, before or after the change.
  sideEffects 6 ${names.sideEffects} # What a call changes besides its answer: None, or NoneOnDryRun.
  timeoutSeconds 7 *int32? # How long the server waits for an answer: 1 to 30, 10 unless said.
  admissionReviewVersions 8 ${names.reviewVersions} atomic # Versions of AdmissionReview that it understands, the preferred one first.
  reinvocationPolicy 10 ${names.reinvocationPolicy} # Never, or IfNeeded: called again where a later step has changed the object.
  matchConditions 12 []MatchCondition? map(name) merge(name) # Conditions in CEL that a request must fulfil, all of them; 64 at most.

type MutatingWebhookConfiguration typemeta # Services that are asked to change objects on their way into the store.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  webhooks 2 []MutatingWebhook? map(name) merge(name) # The webhooks, each by its name.

type MutatingWebhookConfigurationList typemeta
  metadata 1 meta.ListMeta?
  items 2 []MutatingWebhookConfiguration

type ServiceReference # A service in the cluster.
  namespace 1 string # Namespace of the service.
  name 2 string # Name of the service.
  path 3 *string? # Path of the URL that is called.
  port 4 *int32? # Port of the service; 443 unless said.

type ValidatingWebhook # A service that may refuse requests, and changes nothing.
  name 1 string # Name of the webhook, in full, such as \`imagepolicy.example.com\`.
  clientConfig 2 WebhookClientConfig # Where the webhook is called, and what certificate it shows.
  rules 3 []${names.rule}? atomic # What operations on what resources it is called for: one of the rules suffices.
  failurePolicy 4 ${names.failurePolicy} # Fail refuses the request where the webhook cannot be asked; Ignore goes on without it.
  matchPolicy 9 ${names.matchPolicy} # Equivalent: also requests for another version of a resource in the rules. Exact: only what the rules name.
  namespaceSelector 5 *meta.LabelSelector? # Only objects of namespaces with these labels; objects without a namespace match always.
  objectSelector 10 *meta.LabelSelector? # Only objects with these labels, before or after the change.
  sideEffects 6 ${names.sideEffects}${names.validatingMark} # What a call changes besides its answer: None, or NoneOnDryRun.
  timeoutSeconds 7 *int32? # How long the server waits for an answer: 1 to 30, 10 unless said.
  admissionReviewVersions 8 ${names.reviewVersions} atomic # Versions of AdmissionReview that it understands, the preferred one first.
  matchConditions 11 []MatchCondition? map(name) merge(name) # Conditions in CEL that a request must fulfil, all of them; 64 at most.

type ValidatingWebhookConfiguration typemeta # Services that are asked whether a request may be fulfilled.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  webhooks 2 []ValidatingWebhook? map(name) merge(name) # The webhooks, each by its name.

type ValidatingWebhookConfigurationList typemeta
  metadata 1 meta.ListMeta?
  items 2 []ValidatingWebhookConfiguration

type WebhookClientConfig
  url 3 *string? # URL of the webhook, for one outside of the cluster: \`https://host:port/path\`.
  service 1 *ServiceReference? # Service of the webhook, for one in the cluster.
  caBundle 2 bytes? # Certificates in PEM that vouch for the webhook; those of the system unless said.
`
