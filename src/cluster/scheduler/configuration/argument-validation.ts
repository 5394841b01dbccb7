import type { NodeAffinity, NodeSelectorTerm, TopologySpreadConstraint } from '../../../api/core/v1.types.ts'
import { parseMilliseconds } from '../../../lib/duration.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { duplicate, type FieldError, forbidden, invalid, notSupported, required } from '../../../meta/field-error.ts'
import { type FieldPath, fieldPath } from '../../../meta/field-path.ts'
import { isQualifiedName } from '../../../meta/names.ts'
import { DYNAMIC_RESOURCES, type DynamicResourcesArgs } from '../plugins/dynamic-resources.ts'
import type { InterPodAffinityArgs } from '../plugins/inter-pod-affinity.ts'
import type { NodeAffinityArgs } from '../plugins/node-affinity.ts'
import type { BalancedAllocationArgs } from '../plugins/node-resources-balanced-allocation.ts'
import type { FitArgs } from '../plugins/node-resources-fit.ts'
import type { PodTopologySpreadArgs } from '../plugins/pod-topology-spread.ts'
import type { PreemptionArgs } from '../profile.ts'
import type { ShapePoint } from '../resource-scores.ts'

/** Source of all rules: pkg/scheduler/apis/config/validation/validation_pluginargs.go. */

function validatePreemption(
  { minCandidateNodesPercentage = 10, minCandidateNodesAbsolute = 100 }: PreemptionArgs,
  path: FieldPath,
): FieldError[] {
  const [percentage, absolute] = [path.child('minCandidateNodesPercentage'), path.child('minCandidateNodesAbsolute')]
  const errors: FieldError[] = []
  if (minCandidateNodesPercentage < 0 || minCandidateNodesPercentage > 100)
    errors.push(invalid(percentage, minCandidateNodesPercentage, 'not in valid range [0, 100]'))
  if (minCandidateNodesAbsolute < 0) errors.push(invalid(absolute, minCandidateNodesAbsolute, 'not in valid range [0, inf)'))
  if (minCandidateNodesPercentage === 0 && minCandidateNodesAbsolute === 0)
    errors.push(
      invalid(percentage, 0, 'cannot be zero at the same time as minCandidateNodesAbsolute'),
      invalid(absolute, 0, 'cannot be zero at the same time as minCandidateNodesPercentage'),
    )
  return errors
}

const validateInterPodAffinity = ({ hardPodAffinityWeight = 1 }: InterPodAffinityArgs, path: FieldPath): FieldError[] =>
  hardPodAffinityWeight < 0 || hardPodAffinityWeight > 100
    ? [invalid(path.child('hardPodAffinityWeight'), hardPodAffinityWeight, 'not in valid range [0, 100]')]
    : []

function validateNodeAffinity({ addedAffinity }: NodeAffinityArgs, path: FieldPath): FieldError[] {
  const {
    requiredDuringSchedulingIgnoredDuringExecution: needed,
    preferredDuringSchedulingIgnoredDuringExecution: preferred = [],
  }: Partial<NodeAffinity> = addedAffinity ?? {}
  const added = path.child('addedAffinity')
  const terms = added.child('requiredDuringSchedulingIgnoredDuringExecution').child('nodeSelectorTerms')
  return [
    ...(needed?.nodeSelectorTerms ?? []).flatMap((term, i) => validateTerm(term, terms.index(i))),
    ...preferred.flatMap(({ preference }, i) =>
      validateTerm(preference, added.child('preferredDuringSchedulingIgnoredDuringExecution').index(i).child('preference')),
    ),
  ]
}

const OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt']

function validateTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, path: FieldPath): FieldError[] {
  const ofList = (list: string, requirements: NonNullable<NodeSelectorTerm['matchExpressions']>): FieldError[] =>
    requirements.flatMap(({ operator }, i) =>
      OPERATORS.includes(operator)
        ? []
        : [
            invalid(
              path.child(list).index(i).child('operator'),
              operator,
              `${JSON.stringify(operator)} is not a valid node selector operator`,
            ),
          ],
    )
  return [...ofList('matchExpressions', matchExpressions), ...ofList('matchFields', matchFields)]
}

function validateBalancedAllocation({ resources = [] }: BalancedAllocationArgs, path: FieldPath): FieldError[] {
  const seen = new Set<string>()
  return resources.flatMap(({ name, weight }, i) => {
    const at = path.child('resources').index(i)
    const isRepeated = seen.has(name)
    seen.add(name)
    return [
      ...(isRepeated ? [duplicate(at.child('name'), name)] : []),
      ...((weight || 1) === 1 ? [] : [invalid(at.child('weight'), weight, 'must be 1')]),
    ]
  })
}

const STRATEGIES = ['LeastAllocated', 'MostAllocated', 'RequestedToCapacityRatio']

function validateFit({ ignoredResources = [], ignoredResourceGroups = [], scoringStrategy }: FitArgs, path: FieldPath): FieldError[] {
  const errors = ignoredResources.flatMap((name, i) => labelNameErrors(name, path.child('ignoredResources').index(i)))
  for (const [i, group] of ignoredResourceGroups.entries()) {
    const at = path.child('ignoredResourceGroups').index(i)
    if (group.includes('/')) errors.push(invalid(at, group, "resource group name can't contain '/'"))
    errors.push(...labelNameErrors(group, at))
  }
  if (scoringStrategy === undefined) return errors
  const { type = '', resources = [], requestedToCapacityRatio: ratio } = scoringStrategy
  const at = path.child('scoringStrategy')
  if (!STRATEGIES.includes(type)) errors.push(notSupported(at.child('type'), type, STRATEGIES))
  for (const [i, { name, weight }] of resources.entries())
    if ((weight || 1) < 0 || (weight || 1) > 100)
      errors.push(invalid(at.child('resources').index(i).child('weight'), weight, `resource weight of ${name} not in valid range (0, 100]`))
  const ratioPath = at.child('requestedToCapacityRatio')
  if (type !== 'RequestedToCapacityRatio') {
    if (ratio !== undefined) errors.push(forbidden(ratioPath, 'must be nil when type is not RequestedToCapacityRatio'))
  } else if (ratio === undefined) errors.push(required(ratioPath, 'must be specified when type is RequestedToCapacityRatio'))
  else errors.push(...validateShape(ratio.shape ?? [], ratioPath.child('shape')))
  return errors
}

const labelNameErrors = (name: string, path: FieldPath): FieldError[] => isQualifiedName(name).map(detail => invalid(path, name, detail))

/** Validates points of a function of utilization. */
function validateShape(shape: readonly ShapePoint[], path: FieldPath): FieldError[] {
  if (shape.length === 0) return [required(path, 'at least one point must be specified')]
  const errors: FieldError[] = []
  const unsorted = shape.findIndex(({ utilization }, i) => i > 0 && (shape[i - 1]?.utilization ?? 0) >= utilization)
  if (unsorted > 0)
    errors.push(
      invalid(path.index(unsorted).child('utilization'), shape[unsorted]?.utilization, 'values must be sorted in increasing order'),
    )
  for (const [i, { utilization, score = 0 }] of shape.entries()) {
    if (utilization < 0 || utilization > 100)
      errors.push(invalid(path.index(i).child('utilization'), utilization, 'not in valid range [0, 100]'))
    if (score < 0 || score > 10) errors.push(invalid(path.index(i).child('score'), score, 'not in valid range [0, 10]'))
  }
  return errors
}

const ACTIONS = ['DoNotSchedule', 'ScheduleAnyway']

function validateTopologySpread(
  { defaultConstraints = [], defaultingType = 'System' }: PodTopologySpreadArgs,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = []
  const type = path.child('defaultingType')
  if (defaultingType !== 'System' && defaultingType !== 'List') errors.push(notSupported(type, defaultingType, ['System', 'List']))
  else if (defaultingType === 'System' && defaultConstraints.length > 0)
    errors.push(invalid(type, defaultingType, 'when .defaultConstraints are not empty'))
  const isSame = (a: TopologySpreadConstraint, b: TopologySpreadConstraint): boolean =>
    a.topologyKey === b.topologyKey && a.whenUnsatisfiable === b.whenUnsatisfiable
  for (const [i, one] of defaultConstraints.entries()) {
    const at = path.child('defaultConstraints').index(i)
    const { maxSkew, topologyKey, whenUnsatisfiable, labelSelector } = one
    if (maxSkew <= 0) errors.push(invalid(at.child('maxSkew'), maxSkew, 'not in valid range (0, inf)'))
    if (topologyKey === '') errors.push(required(at.child('topologyKey'), 'can not be empty'))
    else errors.push(...labelNameErrors(topologyKey, at.child('topologyKey')))
    if (whenUnsatisfiable === '') errors.push(required(at.child('whenUnsatisfiable'), 'can not be empty'))
    else if (!ACTIONS.includes(whenUnsatisfiable)) errors.push(notSupported(at.child('whenUnsatisfiable'), whenUnsatisfiable, ACTIONS))
    if (labelSelector)
      errors.push(forbidden(at.child('labelSelector'), 'constraint must not define a selector, as they deduced for each pod'))
    if (defaultConstraints.slice(0, i).some(other => isSame(other, one)))
      errors.push(duplicate(at, `{${topologyKey}, ${whenUnsatisfiable}}`))
  }
  return errors
}

/** Arguments of the plugin VolumeBinding. Source: VolumeBindingArgs of kubescheduler.config.k8s.io/v1. */
interface VolumeBindingArguments {
  readonly bindTimeoutSeconds?: number
  readonly shape?: readonly ShapePoint[]
}

/** @param scoresCapacity whether the gate StorageCapacityScoring is on */
function validateVolumeBinding(
  { bindTimeoutSeconds = 600, shape }: VolumeBindingArguments,
  path: FieldPath,
  scoresCapacity: boolean,
): FieldError[] {
  const errors: FieldError[] = []
  if (bindTimeoutSeconds < 0)
    errors.push(invalid(path.child('bindTimeoutSeconds'), bindTimeoutSeconds, 'invalid BindTimeoutSeconds, should not be a negative value'))
  if (shape === undefined) return errors
  if (scoresCapacity) errors.push(...validateShape(shape, path.child('shape')))
  else
    errors.push(
      invalid(path.child('shape'), shape, 'unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring'),
    )
  return errors
}

/** Validates timeouts. Those whose gate is off are rejected, unlike fields of the API. */
function validateDynamicResources(
  { filterTimeout, bindingTimeout }: DynamicResourcesArgs,
  path: FieldPath,
  { enabled }: ArgumentFeatures,
): FieldError[] {
  const hasConditions = enabled('DRADeviceBindingConditions') && enabled('DRAResourceClaimDeviceStatus')
  const [filterPath, bindingPath] = [path.child('filterTimeout'), path.child('bindingTimeout')]
  return [
    ...(filterTimeout === undefined
      ? []
      : enabled('DRASchedulerFilterTimeout')
        ? validateTimeout(filterTimeout, filterPath, 0, 'must be zero or positive')
        : [forbidden(filterPath, 'DRASchedulingFilterTimeout feature gate is disabled')]),
    ...(bindingTimeout === undefined
      ? []
      : hasConditions
        ? validateTimeout(bindingTimeout, bindingPath, 1000, 'must be at least 1 second')
        : [forbidden(bindingPath, 'DRADeviceBindingConditions or DRAResourceClaimDeviceStatus feature gate is disabled')]),
  ]
}

/** Validates a Go duration. @param least in milliseconds */
function validateTimeout(text: string, path: FieldPath, least: number, detail: string): FieldError[] {
  try {
    return parseMilliseconds(text) < least ? [invalid(path, text, detail)] : []
  } catch (error) {
    return [invalid(path, text, errorMessage(error))]
  }
}

/** Release and gates that arguments depend on. */
export type ArgumentFeatures = Pick<Features, 'release' | 'enabled'>

const VALIDATIONS: Readonly<Record<string, (args: object, path: FieldPath, features: ArgumentFeatures) => FieldError[]>> = {
  DefaultPreemption: validatePreemption,
  DynamicResources: validateDynamicResources,
  InterPodAffinity: validateInterPodAffinity,
  NodeAffinity: validateNodeAffinity,
  NodeResourcesBalancedAllocation: validateBalancedAllocation,
  NodeResourcesFit: validateFit,
  PodTopologySpread: validateTopologySpread,
  VolumeBinding: (args, path, features) => validateVolumeBinding(args, path, features.enabled('StorageCapacityScoring')),
}

/** Reports whether a plugin takes arguments. */
export const hasArguments = (plugin: string, { release }: ArgumentFeatures): boolean =>
  Object.hasOwn(VALIDATIONS, plugin) && (plugin !== DYNAMIC_RESOURCES || isSince(release, '1.34'))

/** Validates the decoded arguments of a plugin. */
export const validateArguments = (plugin: string, args: object, features: ArgumentFeatures, path = fieldPath('args')): FieldError[] =>
  VALIDATIONS[plugin]?.(args, path, features) ?? []
