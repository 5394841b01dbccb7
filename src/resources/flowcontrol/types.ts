import type { TypePackage } from '../../schema/idl.ts'

/** In what the versions differ. */
interface Differences {
  /** What the shares of a limited level are called. */
  readonly shares?: string
  readonly sharesType?: string
  readonly conditionMarks?: string
}

const source = ({ shares = 'nominalConcurrencyShares', sharesType = 'int32', conditionMarks = ' merge(type)' }: Differences): string => `
type ExemptPriorityLevelConfiguration # Seats that requests without limits leave to others.
  nominalConcurrencyShares 1 *int32? # Its share of the seats, beside those of other levels; 0 unless said.
  lendablePercent 2 *int32? # How much of its seats others may borrow, in percent; 0 unless said.

type FlowDistinguisherMethod
  type 1 string # ByUser or ByNamespace.

type FlowSchema typemeta # Sorts requests: what it matches is queued at a priority level, in flows.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 FlowSchemaSpec? # What is wanted.
  status 3 FlowSchemaStatus? # What is, as last reported; not set by those who want something.

type FlowSchemaCondition
  type 1 string? # What the condition is about.
  status 2 string? # True, False or Unknown.
  lastTransitionTime 3 Time? # When the status last changed.
  reason 4 string? # Why, in one word.
  message 5 string? # Why, in a sentence.

type FlowSchemaList typemeta
  metadata 1 meta.ListMeta?
  items 2 []FlowSchema

type FlowSchemaSpec
  priorityLevelConfiguration 1 PriorityLevelConfigurationReference # The level at which the requests are queued.
  matchingPrecedence 2 int32 optional # Which of several schemas that match is taken: the lowest, from 1 to 10000; 1000 unless said.
  distinguisherMethod 3 *FlowDistinguisherMethod? # What makes two requests belong to one flow; all are one where it is absent.
  rules 4 []PolicyRulesWithSubjects? atomic # What requests match: one of the rules suffices, and without rules none does.

type FlowSchemaStatus
  conditions 1 []FlowSchemaCondition? map(type)${conditionMarks} # The present state, by conditions.

type GroupSubject
  name 1 string # Name of the group; \`*\` for any.

type LimitResponse # What becomes of requests for which there is no seat.
  type 1 string # Queue, or Reject.
  queuing 2 *QueuingConfiguration? # The queues; only where type is Queue.

type LimitedPriorityLevelConfiguration # How many seats a level has, and what it does with requests beyond them.
  ${shares} 1 ${sharesType} optional # Its share of the seats, beside those of other levels; 30 unless said.
  limitResponse 2 LimitResponse? # What becomes of requests for which there is no seat.
  lendablePercent 3 *int32? # How much of its seats others may borrow, in percent; 0 unless said.
  borrowingLimitPercent 4 *int32? # How much it may borrow from others, in percent of its seats; no limit unless said.

type NonResourcePolicyRule # Matches requests for paths that are no resources.
  verbs 1 []string set # Verbs of the requests; \`*\` for all.
  nonResourceURLs 6 []string set # Paths, which may end in \`/*\`; \`*\` for all.

type PolicyRulesWithSubjects # Matches requests of some subjects for some things.
  subjects 1 []Subject atomic # Who asks: one of them suffices.
  resourceRules 2 []ResourcePolicyRule? atomic # For what resources.
  nonResourceRules 3 []NonResourcePolicyRule? atomic # For what other paths.

type PriorityLevelConfiguration typemeta # A level of priority: requests of one level have seats of their own.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 PriorityLevelConfigurationSpec? # What is wanted.
  status 3 PriorityLevelConfigurationStatus? # What is, as last reported; not set by those who want something.

type PriorityLevelConfigurationCondition
  type 1 string? # What the condition is about.
  status 2 string? # True, False or Unknown.
  lastTransitionTime 3 Time? # When the status last changed.
  reason 4 string? # Why, in one word.
  message 5 string? # Why, in a sentence.

type PriorityLevelConfigurationList typemeta
  metadata 1 meta.ListMeta?
  items 2 []PriorityLevelConfiguration

type PriorityLevelConfigurationReference
  name 1 string # Name of the level.

type PriorityLevelConfigurationSpec
  type 1 string # Limited, or Exempt: only the level \`exempt\` is.
  limited 2 *LimitedPriorityLevelConfiguration? # Seats and queues; only where type is Limited.
  exempt 3 *ExemptPriorityLevelConfiguration? # What it lends; only where type is Exempt.

type PriorityLevelConfigurationStatus
  conditions 1 []PriorityLevelConfigurationCondition? map(type)${conditionMarks} # The present state, by conditions.

type QueuingConfiguration # Queues among which the flows of a level are dealt.
  queues 1 int32 optional # How many queues there are; 64 unless said.
  handSize 2 int32 optional # To how many queues a flow is dealt, of which it takes the shortest; 8 unless said.
  queueLengthLimit 3 int32 optional # How many requests may wait in a queue; 50 unless said.

type ResourcePolicyRule # Matches requests for resources.
  verbs 1 []string set # Verbs of the requests; \`*\` for all.
  apiGroups 2 []string set # Groups of the resources; \`*\` for all.
  resources 3 []string set # Resources and subresources; \`*\` for all.
  clusterScope 4 bool? # Whether requests that name no namespace match.
  namespaces 5 []string optional set # Namespaces of the requests; \`*\` for all.

type ServiceAccountSubject
  namespace 1 string # Namespace of the account.
  name 2 string # Name of the account; \`*\` for all of the namespace.

type Subject # Who asks.
  kind 1 string # User, Group or ServiceAccount.
  user 2 *UserSubject? # The user, where kind is User.
  group 3 *GroupSubject? # The group, where kind is Group.
  serviceAccount 4 *ServiceAccountSubject? # The account, where kind is ServiceAccount.

type UserSubject
  name 1 string # Name of the user; \`*\` for any.
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
