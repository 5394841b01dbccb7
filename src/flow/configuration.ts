/** Objects of flowcontrol.apiserver.k8s.io/v1, as far as flow control uses them. */

interface Metadata {
  readonly name?: string
  readonly uid?: string
}

export interface Subject {
  readonly kind: string
  readonly user?: { readonly name: string }
  readonly group?: { readonly name: string }
  readonly serviceAccount?: { readonly namespace: string; readonly name: string }
}

export interface ResourceRule {
  readonly verbs: readonly string[] | null
  readonly apiGroups: readonly string[] | null
  readonly resources: readonly string[] | null
  readonly clusterScope?: boolean
  readonly namespaces: readonly string[] | null
}

export interface NonResourceRule {
  readonly verbs: readonly string[] | null
  readonly nonResourceURLs: readonly string[] | null
}

export interface Rule {
  readonly subjects: readonly Subject[] | null
  readonly resourceRules?: readonly ResourceRule[]
  readonly nonResourceRules?: readonly NonResourceRule[]
}

export interface FlowSchemaConfig {
  readonly metadata: Metadata
  readonly spec: {
    readonly priorityLevelConfiguration: { readonly name: string }
    readonly matchingPrecedence: number
    readonly distinguisherMethod?: { readonly type: string }
    readonly rules?: readonly Rule[]
  }
}

export interface QueuingConfig {
  readonly queues: number
  readonly handSize: number
  readonly queueLengthLimit: number
}

export interface LimitedConfig {
  readonly nominalConcurrencyShares: number | null
  readonly lendablePercent?: number
  readonly borrowingLimitPercent?: number
  readonly limitResponse: { readonly type: string; readonly queuing?: QueuingConfig }
}

export interface PriorityLevelConfig {
  readonly metadata: Metadata
  readonly spec: {
    readonly type: string
    readonly limited?: LimitedConfig
    /** Omitted in releases whose exempt levels lend nothing. */
    readonly exempt?: { readonly nominalConcurrencyShares?: number; readonly lendablePercent?: number }
  }
}

export const EXEMPT = 'exempt'
export const CATCH_ALL = 'catch-all'
