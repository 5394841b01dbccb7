import type { KubeObject } from '../../../meta/object.ts'

/** On an object of the server's own: "true" where the server may bring its spec up to date. */
export const AUTO_UPDATE_ANNOTATION = 'apf.kubernetes.io/autoupdate-spec'

const API_VERSION = 'flowcontrol.apiserver.k8s.io/v1'

type Part = Readonly<Record<string, unknown>>

const object = (kind: string, name: string, spec: object): KubeObject => ({
  kind,
  apiVersion: API_VERSION,
  metadata: { name, annotations: { [AUTO_UPDATE_ANNOTATION]: 'true' } },
  spec,
})

export const priorityLevel = (name: string, spec: object): KubeObject => object('PriorityLevelConfiguration', name, spec)

/** A level with queues of 50 requests each. */
export const queuedLevel = (name: string, nominalConcurrencyShares: number, lendablePercent: number, queues: number, handSize: number): KubeObject =>
  priorityLevel(name, {
    type: 'Limited',
    limited: { nominalConcurrencyShares, lendablePercent, limitResponse: { type: 'Queue', queuing: { queues, handSize, queueLengthLimit: 50 } } },
  })

export interface SchemaParts {
  readonly level: string
  readonly precedence: number
  readonly by?: 'ByUser' | 'ByNamespace'
  readonly subjects: readonly Part[]
  readonly resourceRules?: readonly Part[]
  readonly nonResourceRules?: readonly Part[]
}

/** A schema with one rule. */
export const flowSchema = (name: string, { level, precedence, by, subjects, resourceRules, nonResourceRules }: SchemaParts): KubeObject =>
  object('FlowSchema', name, {
    priorityLevelConfiguration: { name: level },
    matchingPrecedence: precedence,
    ...(by && { distinguisherMethod: { type: by } }),
    rules: [{ subjects, ...(resourceRules && { resourceRules }), ...(nonResourceRules && { nonResourceRules }) }],
  })

export const groups = (...names: string[]): Part[] => names.map(name => ({ kind: 'Group', group: { name } }))
export const users = (...names: string[]): Part[] => names.map(name => ({ kind: 'User', user: { name } }))
/** Service accounts of kube-system. */
export const systemAccounts = (...names: string[]): Part[] =>
  names.map(name => ({ kind: 'ServiceAccount', serviceAccount: { namespace: 'kube-system', name } }))

/** In all namespaces, and not beside them. */
export const namespacedRule = (verbs: string[], apiGroup: string, ...resources: string[]): Part => ({
  verbs,
  apiGroups: [apiGroup],
  resources,
  namespaces: ['*'],
})
/** In all namespaces and beside them. */
export const clusterRule = (verbs: string[], apiGroup: string, ...resources: string[]): Part => ({
  ...namespacedRule(verbs, apiGroup, ...resources),
  clusterScope: true,
})
export const pathRule = (verbs: string[], ...nonResourceURLs: string[]): Part => ({ verbs, nonResourceURLs })

/** Everything. */
export const ALL: Pick<SchemaParts, 'resourceRules' | 'nonResourceRules'> = {
  resourceRules: [clusterRule(['*'], '*', '*')],
  nonResourceRules: [pathRule(['*'], '*')],
}
