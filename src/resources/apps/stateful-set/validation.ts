import type { HookContext } from '../../../catalog/definition.ts'
import { goJsonText } from '../../../lib/go-json-text.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { deepEqual } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden, invalid, notSupported, required, type Verbatim, verbatim } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { isDns1123Label } from '../../../meta/names.ts'
import { validateAnnotations, validateLabels, validateNonNegative } from '../../../meta/object-meta-validation.ts'
import { claimOptions } from '../../core/persistent-volume-claim/validation.ts'
import { validatePodAnnotations } from '../../core/pod-spec/annotations.ts'
import { type PodValidationOptions, podTemplateOptions } from '../../core/pod-spec/options.ts'
import { validatePodTemplateSpec } from '../../core/pod-spec/validation.ts'
import type { PodTemplateSpec } from '../../core/v1.types.ts'
import { type ClaimSpecOptions, validateClaimSpec } from '../../core/volume/claim-template.ts'
import { validateAtMost, validateCounts, validateNotDecremented } from '../../shared/counts.ts'
import { goIntOrStringValue, goLabelSelector, goPointer } from '../../shared/go-syntax.ts'
import { goValue } from '../../shared/go-values.ts'
import { intOrPercentValue, validateAtMost100Percent, validateIntOrPercent } from '../../shared/int-or-percent.ts'
import { keepMembers } from '../../shared/strategy-parts.ts'
import { selectionOf, validateRestarting, validateSelectorGiven, validateSelects } from '../../shared/workload/template.ts'
import type {
  RollingUpdateStatefulSetStrategy,
  StatefulSet,
  StatefulSetPersistentVolumeClaimRetentionPolicy,
  StatefulSetSpec,
  StatefulSetUpdateStrategy,
} from '../v1.types.ts'

/** Prints the Go struct, in which the partition is no pointer. */
function rollingValue({ partition = 0, maxUnavailable }: RollingUpdateStatefulSetStrategy): Verbatim {
  const text = `apps.RollingUpdateStatefulSetStrategy{Partition:${partition}, MaxUnavailable:${goPointer('intstr.IntOrString', maxUnavailable)}}`
  return verbatim(text, () => goJsonText({ Partition: partition, MaxUnavailable: maxUnavailable ?? null }))
}

/** Validates the update strategy. A rolling update needs no parameters; OnDelete may have none. Errors show structs as Go prints them. */
function validateUpdateStrategy(strategy: StatefulSetUpdateStrategy, path: FieldPath): FieldError[] {
  const { type, rollingUpdate } = strategy
  const at = path.child('rollingUpdate')
  switch (type) {
    case undefined:
      return [required(path)]
    case 'OnDelete': {
      if (!rollingUpdate) return []
      return [invalid(at, rollingValue(rollingUpdate), "only allowed for updateStrategy 'RollingUpdate'")]
    }
    case 'RollingUpdate':
      return rollingUpdate ? validateRollingUpdate(rollingUpdate, at) : []
    default: {
      return [invalid(path, goValue('apps.StatefulSetUpdateStrategy', strategy), "must be 'RollingUpdate' or 'OnDelete'")]
    }
  }
}

/** maxUnavailable is checked only if set: it has a gate, and no default while the gate is off. */
function validateRollingUpdate({ partition, maxUnavailable }: RollingUpdateStatefulSetStrategy, path: FieldPath): FieldError[] {
  const errors = validateNonNegative(partition, path.child('partition'))
  if (maxUnavailable === undefined) return errors
  const at = path.child('maxUnavailable')
  errors.push(...validateIntOrPercent(maxUnavailable, at))
  if (intOrPercentValue(maxUnavailable) === 0) errors.push(invalid(at, goIntOrStringValue(maxUnavailable), 'cannot be 0'))
  return [...errors, ...validateAtMost100Percent(maxUnavailable, at)]
}

/** Checks that both members are set. Defaults have set them. */
function validateRetention(policy: StatefulSetPersistentVolumeClaimRetentionPolicy | undefined, path: FieldPath): FieldError[] {
  if (!policy) return []
  return (['whenDeleted', 'whenScaled'] as const).flatMap(name => {
    const value = policy[name] ?? ''
    return value === 'Retain' || value === 'Delete' ? [] : [notSupported(path.child(name), value, ['Retain', 'Delete'])]
  })
}

/** Faults that an update may keep, because the old object has them from a time when less was validated. */
interface Tolerated {
  readonly options: PodValidationOptions
  /** Whether the pod spec is not validated. Before 1.34 it was validated only when pods were created. */
  readonly anyPodSpec: boolean
  /** Optional. Rules for the claim templates, which are immutable. If unset, they are not validated. */
  readonly claims: ClaimSpecOptions | undefined
  /** Whether the service name is not validated. Before 1.33 it never was, so an existing set keeps its name. */
  readonly anyServiceName: boolean
}

/** Returns the faults that a write may keep. It also calls `validateSpec` for the old set, to find out whether its pod spec is valid. */
function toleratedIn(features: Features, next: StatefulSetSpec, old: StatefulSetSpec | undefined): Tolerated {
  const options = podTemplateOptions(features, next.template, old?.template)
  const isStrict = isSince(features.release, '1.34')
  if (!old) return { options, anyPodSpec: !isStrict, claims: isStrict ? claimOptions(features) : undefined, anyServiceName: !isSince(features.release, '1.33') }
  const update = { options, anyPodSpec: false, claims: undefined, anyServiceName: true }
  return { ...update, anyPodSpec: !isStrict || validateSpec(old, update, fieldPath('spec')).length > 0 }
}

/** Returns the template in the form that its pods will have: the controller sets their hostnames, and claims replace volumes of the same name. */
function filledTemplate({ template, volumeClaimTemplates: claims = [] }: StatefulSetSpec): PodTemplateSpec {
  const { hostname: _, subdomain: __, ...spec } = template.spec
  if (claims.length === 0) return { ...template, spec }
  const names = new Set(claims.map(({ metadata }) => metadata.name ?? ''))
  const fromClaims = [...names].map(name => ({ name, persistentVolumeClaim: { claimName: name } }))
  return { ...template, spec: { ...spec, volumes: [...fromClaims, ...(spec.volumes ?? []).filter(({ name }) => !names.has(name))] } }
}

const validateClaims = ({ volumeClaimTemplates = [] }: StatefulSetSpec, options: ClaimSpecOptions, path: FieldPath): FieldError[] =>
  volumeClaimTemplates.flatMap(({ spec }, i) => validateClaimSpec(spec, path.index(i).child('spec'), options))

/** Validates the template. Labels and annotations are validated separately from the pod spec, and so twice if that is validated. */
function validateTemplate(set: StatefulSetSpec, { options, anyPodSpec }: Tolerated, path: FieldPath): FieldError[] {
  const { metadata, spec } = set.template
  const at = path.child('annotations')
  return [
    ...(anyPodSpec ? [] : validatePodTemplateSpec(filledTemplate(set), path, options)),
    ...validateLabels(metadata.labels, path.child('labels')),
    ...validateAnnotations(metadata.annotations, at),
    ...validatePodAnnotations(metadata.annotations ?? {}, spec, at, options.allowInvalidDeletionCost),
  ]
}

/** Validates the spec, in upstream's order. Selector and template labels are compared only if the selector can be parsed. */
function validateSpec(spec: StatefulSetSpec, tolerated: Tolerated, path: FieldPath): FieldError[] {
  const { claims } = tolerated
  const errors: FieldError[] = []
  const management = path.child('podManagementPolicy')
  if (!spec.podManagementPolicy) errors.push(required(management))
  else if (spec.podManagementPolicy !== 'OrderedReady' && spec.podManagementPolicy !== 'Parallel') {
    errors.push(invalid(management, spec.podManagementPolicy, "must be 'OrderedReady' or 'Parallel'"))
  }
  errors.push(
    ...validateUpdateStrategy(spec.updateStrategy, path.child('updateStrategy')),
    ...validateRetention(spec.persistentVolumeClaimRetentionPolicy, path.child('persistentVolumeClaimRetentionPolicy')),
    ...(claims ? validateClaims(spec, claims, path.child('volumeClaimTemplates')) : []),
    ...validateNonNegative(spec.replicas, path.child('replicas')),
    ...validateNonNegative(spec.minReadySeconds, path.child('minReadySeconds')),
    ...validateNonNegative(spec.ordinals?.start, path.child('ordinals.start')),
    ...(tolerated.anyServiceName || !spec.serviceName
      ? []
      : isDns1123Label(spec.serviceName).map(text => invalid(path.child('serviceName'), spec.serviceName, text))),
    ...validateSelectorGiven(spec.selector, 'statefulset', path.child('selector')),
  )
  const selection = selectionOf(spec.selector)
  const template = path.child('template')
  if (!selection) errors.push(invalid(path.child('selector'), goLabelSelector(spec.selector ?? {}), ''))
  else errors.push(...validateSelects(selection, spec.template, template), ...validateTemplate(spec, tolerated, template))
  return [...errors, ...validateRestarting(spec.template, 'StatefulSet', template)]
}

/** Mutable members of the spec, in the order in which the error lists them. */
const MUTABLE = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
] as const

const MUTABLE_SINCE: Readonly<Partial<Record<(typeof MUTABLE)[number], Release>>> = { ordinals: '1.26', revisionHistoryLimit: '1.33' }

function immutableExcept(names: readonly string[]): string {
  const quoted = names.map(name => `'${name}'`)
  return `updates to statefulset spec for fields other than ${quoted.slice(0, -1).join(', ')} and ${quoted.at(-1)} are forbidden`
}

/**
 * Validates a StatefulSet. Since 1.34 pod template and claim templates are validated in the form that pods and claims will have; existing sets keep their
 * faults. Before 1.33 revisionHistoryLimit is immutable. Source: pkg/apis/apps/validation in k8s.io/kubernetes.
 */
export function validateStatefulSet(next: StatefulSet, old: StatefulSet | undefined, { features }: HookContext): FieldError[] {
  const path = fieldPath('spec')
  const errors = validateSpec(next.spec, toleratedIn(features, next.spec, old?.spec), path)
  if (old) {
    const kept = { ...next.spec }
    const mutable = MUTABLE.filter(name => isSince(features.release, MUTABLE_SINCE[name] ?? '1.24'))
    keepMembers(kept, old.spec, ...mutable)
    if (!deepEqual(kept, old.spec)) errors.push(forbidden(path, immutableExcept(mutable)))
  }
  return errors
}

/** Validates the status. No count exceeds the replicas, and the collision count only increases. */
export function validateStatefulSetStatus(next: StatefulSet, old: StatefulSet | undefined): FieldError[] {
  const { status } = next
  const path = fieldPath('status')
  const total = 'cannot be greater than status.replicas'
  return [
    ...validateCounts(
      status,
      ['replicas', 'readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas', 'observedGeneration', 'collisionCount'],
      path,
    ),
    ...validateAtMost(status, 'readyReplicas', 'replicas', total, path),
    ...validateAtMost(status, 'currentReplicas', 'replicas', total, path),
    ...validateAtMost(status, 'updatedReplicas', 'replicas', total, path),
    ...validateAtMost(status, 'availableReplicas', 'replicas', total, path),
    ...validateAtMost(status, 'availableReplicas', 'readyReplicas', 'cannot be greater than status.readyReplicas', path),
    ...validateNotDecremented(status.collisionCount, old?.status.collisionCount, path.child('collisionCount')),
  ]
}
