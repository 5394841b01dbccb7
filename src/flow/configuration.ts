/** Objects of flowcontrol.apiserver.k8s.io/v1, as far as flow control uses them. */

interface Metadata {
  readonly name?: string
  readonly uid?: string
}

/** A user, a group or a service account, by `kind`. */
export interface FlowSubject {
  readonly kind: string
  readonly user?: { readonly name: string }
  readonly group?: { readonly name: string }
  readonly serviceAccount?: { readonly namespace: string; readonly name: string }
}

/** Matches resource requests. Each list matches if it contains the value, or `*` alone. */
export interface ResourceRule {
  readonly verbs: readonly string[] | null
  readonly apiGroups: readonly string[] | null
  readonly resources: readonly string[] | null
  readonly clusterScope?: boolean
  readonly namespaces: readonly string[] | null
}

/** Matches non-resource requests. A URL may end in `/*`. */
export interface NonResourceRule {
  readonly verbs: readonly string[] | null
  readonly nonResourceURLs: readonly string[] | null
}

/** Matches a request if one of the subjects and one of the rules do. */
export interface FlowRule {
  readonly subjects: readonly FlowSubject[] | null
  readonly resourceRules?: readonly ResourceRule[]
  readonly nonResourceRules?: readonly NonResourceRule[]
}

/** A FlowSchema. Schemas with a lower `matchingPrecedence` are matched first. */
export interface FlowSchemaConfig {
  readonly metadata: Metadata
  readonly spec: {
    readonly priorityLevelConfiguration: { readonly name: string }
    readonly matchingPrecedence: number
    readonly distinguisherMethod?: { readonly type: string }
    readonly rules?: readonly FlowRule[]
  }
}

/** Queues of a level, and how many of them a flow may use (`handSize`). */
export interface QueuingConfig {
  readonly queues: number
  readonly handSize: number
  readonly queueLengthLimit: number
}

/** A level with limited seats. */
export interface LimitedConfig {
  readonly nominalConcurrencyShares: number | null
  readonly lendablePercent?: number
  readonly borrowingLimitPercent?: number
  readonly limitResponse: { readonly type: string; readonly queuing?: QueuingConfig }
}

/** A PriorityLevelConfiguration. */
export interface PriorityLevelConfig {
  readonly metadata: Metadata
  readonly spec: {
    readonly type: string
    readonly limited?: LimitedConfig
    /** Omitted in releases whose exempt levels lend nothing. */
    readonly exempt?: { readonly nominalConcurrencyShares?: number; readonly lendablePercent?: number }
  }
}

/** Names of the mandatory schemas and levels. */
export const EXEMPT = 'exempt'
export const CATCH_ALL = 'catch-all'
