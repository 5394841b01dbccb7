import type { TypePackage } from '../../schema/idl.ts'

/** In what the versions differ. */
interface Differences {
  /** What the shares of a limited level are called. */
  readonly shares?: string
  readonly sharesType?: string
  readonly conditionMarks?: string
}

const source = ({ shares = 'nominalConcurrencyShares', sharesType = 'int32', conditionMarks = ' merge(type)' }: Differences): string => `
type ExemptPriorityLevelConfiguration
  nominalConcurrencyShares 1 *int32?
  lendablePercent 2 *int32?

type FlowDistinguisherMethod
  type 1 string

type FlowSchema typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 FlowSchemaSpec?
  status 3 FlowSchemaStatus?

type FlowSchemaCondition
  type 1 string?
  status 2 string?
  lastTransitionTime 3 Time?
  reason 4 string?
  message 5 string?

type FlowSchemaList typemeta
  metadata 1 meta.ListMeta?
  items 2 []FlowSchema

type FlowSchemaSpec
  priorityLevelConfiguration 1 PriorityLevelConfigurationReference
  matchingPrecedence 2 int32 optional
  distinguisherMethod 3 *FlowDistinguisherMethod?
  rules 4 []PolicyRulesWithSubjects? atomic

type FlowSchemaStatus
  conditions 1 []FlowSchemaCondition? map(type)${conditionMarks}

type GroupSubject
  name 1 string

type LimitResponse
  type 1 string
  queuing 2 *QueuingConfiguration?

type LimitedPriorityLevelConfiguration
  ${shares} 1 ${sharesType} optional
  limitResponse 2 LimitResponse?
  lendablePercent 3 *int32?
  borrowingLimitPercent 4 *int32?

type NonResourcePolicyRule
  verbs 1 []string set
  nonResourceURLs 6 []string set

type PolicyRulesWithSubjects
  subjects 1 []Subject atomic
  resourceRules 2 []ResourcePolicyRule? atomic
  nonResourceRules 3 []NonResourcePolicyRule? atomic

type PriorityLevelConfiguration typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 PriorityLevelConfigurationSpec?
  status 3 PriorityLevelConfigurationStatus?

type PriorityLevelConfigurationCondition
  type 1 string?
  status 2 string?
  lastTransitionTime 3 Time?
  reason 4 string?
  message 5 string?

type PriorityLevelConfigurationList typemeta
  metadata 1 meta.ListMeta?
  items 2 []PriorityLevelConfiguration

type PriorityLevelConfigurationReference
  name 1 string

type PriorityLevelConfigurationSpec
  type 1 string
  limited 2 *LimitedPriorityLevelConfiguration?
  exempt 3 *ExemptPriorityLevelConfiguration?

type PriorityLevelConfigurationStatus
  conditions 1 []PriorityLevelConfigurationCondition? map(type)${conditionMarks}

type QueuingConfiguration
  queues 1 int32 optional
  handSize 2 int32 optional
  queueLengthLimit 3 int32 optional

type ResourcePolicyRule
  verbs 1 []string set
  apiGroups 2 []string set
  resources 3 []string set
  clusterScope 4 bool?
  namespaces 5 []string optional set

type ServiceAccountSubject
  namespace 1 string
  name 2 string

type Subject
  kind 1 string
  user 2 *UserSubject?
  group 3 *GroupSubject?
  serviceAccount 4 *ServiceAccountSubject?

type UserSubject
  name 1 string
`

/** The types of flowcontrol.apiserver.k8s.io/v1. */
export const flowControlTypes: TypePackage = { id: 'flowcontrol', definition: 'io.k8s.api.flowcontrol.v1', source: source({ sharesType: '*int32' }) }

const assured: Differences = { shares: 'assuredConcurrencyShares', conditionMarks: '' }

/** Of versions that releases before 1.32 serve. */
export const olderFlowControlTypes: readonly TypePackage[] = [
  { id: 'flowcontrolV1beta3', definition: 'io.k8s.api.flowcontrol.v1beta3', source: source({}) },
  { id: 'flowcontrolV1beta2', definition: 'io.k8s.api.flowcontrol.v1beta2', source: source(assured) },
  { id: 'flowcontrolV1beta1', definition: 'io.k8s.api.flowcontrol.v1beta1', source: source(assured) },
]
