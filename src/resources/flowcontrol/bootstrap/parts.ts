import type { FlowSchema, NonResourcePolicyRule, PriorityLevelConfiguration, PriorityLevelConfigurationSpec, ResourcePolicyRule, Subject } from '../v1.types.ts'

/** On an object of the server's own: "true" where the server may bring its spec up to date. */
export const AUTO_UPDATE_ANNOTATION = 'apf.kubernetes.io/autoupdate-spec'

const API_VERSION = 'flowcontrol.apiserver.k8s.io/v1'

/** Objects as the server makes them: it says nothing of their status. */
export type NewLevel = Omit<PriorityLevelConfiguration, 'status'>
/** As it is created: the server sets the status. */
export type NewSchema = Omit<FlowSchema, 'status'>

/** Marks the object as one that the server may bring up to date. */
const metadata = (name: string): NewLevel['metadata'] => ({ name, annotations: { [AUTO_UPDATE_ANNOTATION]: 'true' } })

/** A level as the server makes it, which it may bring up to date later. */
export const priorityLevel = (name: string, spec: PriorityLevelConfigurationSpec): NewLevel => ({
  kind: 'PriorityLevelConfiguration',
  apiVersion: API_VERSION,
  metadata: metadata(name),
  spec,
})

/** A level with queues of 50 requests each. */
export const queuedLevel = (name: string, nominalConcurrencyShares: number, lendablePercent: number, queues: number, handSize: number): NewLevel =>
  priorityLevel(name, {
    type: 'Limited',
    limited: { nominalConcurrencyShares, lendablePercent, limitResponse: { type: 'Queue', queuing: { queues, handSize, queueLengthLimit: 50 } } },
  })

/** What the bootstrap schemas differ in. */
export interface SchemaParts {
  readonly level: string
  readonly precedence: number
  readonly by?: 'ByUser' | 'ByNamespace'
  readonly subjects: Subject[]
  readonly resourceRules?: ResourcePolicyRule[]
  readonly nonResourceRules?: NonResourcePolicyRule[]
}

/** A schema with one rule. */
export const flowSchema = (name: string, { level, precedence, by, subjects, resourceRules, nonResourceRules }: SchemaParts): NewSchema => ({
  kind: 'FlowSchema',
  apiVersion: API_VERSION,
  metadata: metadata(name),
  spec: {
    priorityLevelConfiguration: { name: level },
    matchingPrecedence: precedence,
    ...(by && { distinguisherMethod: { type: by } }),
    rules: [{ subjects, ...(resourceRules && { resourceRules }), ...(nonResourceRules && { nonResourceRules }) }],
  },
})

export const groups = (...names: string[]): Subject[] => names.map(name => ({ kind: 'Group', group: { name } }))
export const users = (...names: string[]): Subject[] => names.map(name => ({ kind: 'User', user: { name } }))
/** Service accounts of kube-system. */
export const systemAccounts = (...names: string[]): Subject[] =>
  names.map(name => ({ kind: 'ServiceAccount', serviceAccount: { namespace: 'kube-system', name } }))

/** In all namespaces, and not beside them. */
export const namespacedRule = (verbs: string[], apiGroup: string, ...resources: string[]): ResourcePolicyRule => ({
  verbs,
  apiGroups: [apiGroup],
  resources,
  namespaces: ['*'],
})
/** In all namespaces and beside them. */
export const clusterRule = (verbs: string[], apiGroup: string, ...resources: string[]): ResourcePolicyRule => ({
  ...namespacedRule(verbs, apiGroup, ...resources),
  clusterScope: true,
})
/** Requests that are about no resource. */
export const pathRule = (verbs: string[], ...nonResourceURLs: string[]): NonResourcePolicyRule => ({ verbs, nonResourceURLs })

/** Everything. */
export const ALL: Pick<SchemaParts, 'resourceRules' | 'nonResourceRules'> = {
  resourceRules: [clusterRule(['*'], '*', '*')],
  nonResourceRules: [pathRule(['*'], '*')],
}
