import type {
  FlowSchema,
  NonResourcePolicyRule,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
  ResourcePolicyRule,
  Subject,
} from '../../../api/flowcontrol/v1.types.ts'

/** Annotation of a bootstrap object. With "true" the server may update its spec. */
export const AUTO_UPDATE_ANNOTATION = 'apf.kubernetes.io/autoupdate-spec'

/** Hub version of both kinds. */
const API_VERSION = 'flowcontrol.apiserver.k8s.io/v1'

/** A level as the server creates it, without a status. */
export type NewLevel = Omit<PriorityLevelConfiguration, 'status'>
/** A schema as the server creates it, without a status. */
export type NewSchema = Omit<FlowSchema, 'status'>

/** Allows the server to update the object. */
const metadata = (name: string): NewLevel['metadata'] => ({ name, annotations: { [AUTO_UPDATE_ANNOTATION]: 'true' } })

/** Creates a level that the server may update later. */
export const priorityLevel = (name: string, spec: PriorityLevelConfigurationSpec): NewLevel => ({
  kind: 'PriorityLevelConfiguration',
  apiVersion: API_VERSION,
  metadata: metadata(name),
  spec,
})

/** Creates a level with queues of 50 requests each. */
export const queuedLevel = (
  name: string,
  nominalConcurrencyShares: number,
  lendablePercent: number,
  queues: number,
  handSize: number,
): NewLevel =>
  priorityLevel(name, {
    type: 'Limited',
    limited: {
      nominalConcurrencyShares,
      lendablePercent,
      limitResponse: { type: 'Queue', queuing: { queues, handSize, queueLengthLimit: 50 } },
    },
  })

/** Fields in which bootstrap schemas differ. */
export interface SchemaParts {
  readonly level: string
  /** Lower numbers are matched first. */
  readonly precedence: number
  /** Optional. Method that divides requests into flows. Without it all requests of the schema are one flow. */
  readonly by?: 'ByUser' | 'ByNamespace'
  /** Subjects of the only rule. One that matches suffices. */
  readonly subjects: Subject[]
  /** Optional. Resource requests of the rule. */
  readonly resourceRules?: ResourcePolicyRule[]
  /** Optional. Non-resource requests of the rule. */
  readonly nonResourceRules?: NonResourcePolicyRule[]
}

/** Creates a schema with one rule. */
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

/** Rule for namespaced resources, in all namespaces. */
export const namespacedRule = (verbs: string[], apiGroup: string, ...resources: string[]): ResourcePolicyRule => ({
  verbs,
  apiGroups: [apiGroup],
  resources,
  namespaces: ['*'],
})
/** Rule for namespaced resources in all namespaces, and for cluster-scoped resources. */
export const clusterRule = (verbs: string[], apiGroup: string, ...resources: string[]): ResourcePolicyRule => ({
  ...namespacedRule(verbs, apiGroup, ...resources),
  clusterScope: true,
})
/** Rule for non-resource requests. */
export const pathRule = (verbs: string[], ...nonResourceURLs: string[]): NonResourcePolicyRule => ({ verbs, nonResourceURLs })

/** Rules for all requests. */
export const ALL: Pick<SchemaParts, 'resourceRules' | 'nonResourceRules'> = {
  resourceRules: [clusterRule(['*'], '*', '*')],
  nonResourceRules: [pathRule(['*'], '*')],
}
