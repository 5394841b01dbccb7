import type {
  RollingUpdateStatefulSetStrategy,
  StatefulSet,
  StatefulSetSpec,
  StatefulSetUpdateStrategy,
} from '../../../api/apps/v1.types.ts'
import type { PodTemplateSpec } from '../../../api/core/v1.types.ts'
import type { HookContext } from '../../../catalog/strategy.ts'
import { enumValues } from '../../../catalog/types.ts'
import { goJsonText } from '../../../lib/go-json-text.ts'
import type { Steps } from '../../../lib/steps.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { deepEqualInSteps } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden, invalid, notSupported, required, type Verbatim, verbatim } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { isDns1123Label } from '../../../meta/names.ts'
import { annotationErrors, labelErrors, validateNonNegative } from '../../../meta/object-meta-validation.ts'
import { all, field, fields, given, type Rule, rules, union } from '../../../meta/rules.ts'
import { claimOptions } from '../../core/persistent-volume-claim/validation.ts'
import { validatePodAnnotations } from '../../core/pod-spec/annotations.ts'
import { type PodValidationOptions, podTemplateOptions } from '../../core/pod-spec/options.ts'
import { podTemplateErrors } from '../../core/pod-spec/validation.ts'
import { type ClaimSpecOptions, validateClaimSpec } from '../../core/volume/claim-template.ts'
import { requiredSelector, selectionOf, validateRestarting, validateSelects } from '../../core/workload/template.ts'
import { atMost, validateNotDecremented } from '../../shared/counts.ts'
import { goIntOrStringValue, goLabelSelector, goPointer } from '../../shared/go-syntax.ts'
import { goValue } from '../../shared/go-values.ts'
import { intOrPercentValue, validateAtMost100Percent, validateIntOrPercent } from '../../shared/int-or-percent.ts'
import { keepMembers } from '../../shared/strategy-parts.ts'

const SPEC = fieldPath('spec')
const MANAGEMENT_POLICIES = enumValues('apps.PodManagementPolicyType')
const RETENTION_POLICIES = ['Retain', 'Delete']

/** Prints the Go struct, in which the partition is no pointer. */
function rollingValue({ partition = 0, maxUnavailable }: RollingUpdateStatefulSetStrategy): Verbatim {
  const text = `apps.RollingUpdateStatefulSetStrategy{Partition:${partition}, MaxUnavailable:${goPointer('intstr.IntOrString', maxUnavailable)}}`
  return verbatim(text, () => goJsonText({ Partition: partition, MaxUnavailable: maxUnavailable ?? null }))
}

/** maxUnavailable is checked only if set: it has a gate, and no default while the gate is off. */
const rollingUpdate = all<RollingUpdateStatefulSetStrategy>(
  field('partition', validateNonNegative),
  field(
    'maxUnavailable',
    given(
      validateIntOrPercent,
      (value, path) => (intOrPercentValue(value) === 0 ? [invalid(path, goIntOrStringValue(value), 'cannot be 0')] : []),
      validateAtMost100Percent,
    ),
  ),
)

const noParameters: Rule<StatefulSetUpdateStrategy> = field(
  'rollingUpdate',
  given((value, path) => [invalid(path, rollingValue(value), "only allowed for updateStrategy 'RollingUpdate'")]),
)

const unknownStrategy = (strategy: StatefulSetUpdateStrategy, path: FieldPath): FieldError[] =>
  strategy.type === undefined
    ? [required(path)]
    : [invalid(path, goValue('apps.StatefulSetUpdateStrategy', strategy), "must be 'RollingUpdate' or 'OnDelete'")]

/**
 * A rolling update needs no parameters; the other strategies may have none. Recreate needs a gate. Errors show structs
 * as Go prints them.
 */
const updateStrategy = union<StatefulSetUpdateStrategy, 'type', Tolerated>(
  'type',
  {
    RollingUpdate: field('rollingUpdate', given(rollingUpdate)),
    OnDelete: noParameters,
    Recreate: (strategy, path, old, { recreate }) =>
      recreate ? noParameters(strategy, path, old, undefined) : unknownStrategy(strategy, path),
  },
  unknownStrategy,
)

/** Requires one of the two values. Defaults have set them. */
const isRetentionPolicy: Rule<string | undefined> = (value = '', path) =>
  RETENTION_POLICIES.includes(value) ? [] : [notSupported(path, value, RETENTION_POLICIES)]

/** Faults that an update may keep, because the old object has them from a time when less was validated. */
interface Tolerated {
  /** Errors of the template's metadata, and since 1.34 those of the pods before. */
  readonly templateErrors: readonly FieldError[]
  /** Optional. Rules for the claim templates, which are immutable. If unset, they are not validated. */
  readonly claims: ClaimSpecOptions | undefined
  /** Whether the update strategy may be Recreate: if the gate is on, or the old set has it. */
  readonly recreate: boolean
  /** Whether the service name is not validated. Before 1.33 it never was, so an existing set keeps its name. */
  readonly anyServiceName: boolean
}

/**
 * Returns the faults that a write may keep, and validates the template in steps. It also validates the old set, to find
 * out whether its pod spec is valid.
 */
function* toleratedIn(features: Features, next: StatefulSetSpec, old: StatefulSetSpec | undefined): Steps<Tolerated> {
  const options = podTemplateOptions(features, next.template, old?.template)
  const metaErrors = yield* metadataErrors(next.template, options)
  const isStrict = isSince(features.release, '1.34')
  const recreate = features.enabled('StatefulSetRecreateStrategy') || old?.updateStrategy.type === 'Recreate'
  if (!old) {
    return {
      recreate,
      templateErrors: isStrict ? [...(yield* podErrorsOf(next, options)), ...metaErrors] : metaErrors,
      claims: isStrict ? claimOptions(features) : undefined,
      anyServiceName: !isSince(features.release, '1.33'),
    }
  }
  const update = { recreate, templateErrors: metaErrors, claims: undefined, anyServiceName: true }
  if (!isStrict) return update
  const before = [...(yield* podErrorsOf(old, options)), ...(yield* metadataErrors(old.template, options))]
  if (specRules(old, SPEC, undefined, { ...update, templateErrors: before }).length > 0) return update
  return { ...update, templateErrors: [...(yield* podErrorsOf(next, options)), ...metaErrors] }
}

const podErrorsOf = (set: StatefulSetSpec, options: PodValidationOptions): Steps<FieldError[]> =>
  podTemplateErrors(filledTemplate(set), SPEC.child('template'), options)

/**
 * Returns the template in the form that its pods will have: the controller sets their hostnames, and claims replace
 * volumes of the same name.
 */
function filledTemplate({ template, volumeClaimTemplates: claims = [] }: StatefulSetSpec): PodTemplateSpec {
  const { hostname: _, subdomain: __, ...spec } = template.spec
  if (claims.length === 0) return { ...template, spec }
  const names = new Set(claims.map(({ metadata }) => metadata.name ?? ''))
  const fromClaims = [...names].map(name => ({ name, persistentVolumeClaim: { claimName: name } }))
  return { ...template, spec: { ...spec, volumes: [...fromClaims, ...(spec.volumes ?? []).filter(({ name }) => !names.has(name))] } }
}

const validateClaims: Rule<StatefulSetSpec, Tolerated> = ({ volumeClaimTemplates = [] }, path, _old, { claims }) =>
  claims
    ? volumeClaimTemplates.flatMap(({ spec }, i) =>
        validateClaimSpec(spec, path.child('volumeClaimTemplates').index(i).child('spec'), claims),
      )
    : []

/**
 * Validates labels and annotations of the template in steps. They are validated separately from the pod spec, and so
 * twice if that is validated.
 */
function* metadataErrors({ metadata, spec }: PodTemplateSpec, options: PodValidationOptions): Steps<FieldError[]> {
  const path = SPEC.child('template')
  const at = path.child('annotations')
  const { labels = {}, annotations = {} } = metadata
  return [
    ...(yield* labelErrors(labels, path.child('labels'))),
    ...(yield* annotationErrors(annotations, at)),
    ...(yield* validatePodAnnotations(annotations, spec, at, options.allowInvalidDeletionCost)),
  ]
}

/** Validates the management of pods. Its error names the values in words. */
const isManagementPolicy: Rule<string | undefined> = (value, path) => {
  if (!value) return [required(path)]
  return MANAGEMENT_POLICIES.includes(value) ? [] : [invalid(path, value, "must be 'OrderedReady' or 'Parallel'")]
}

/** Rules of the spec. Selector and template labels are compared only if the selector can be parsed. */
const specRules = all<StatefulSetSpec, Tolerated>(
  field('podManagementPolicy', isManagementPolicy),
  field('updateStrategy', updateStrategy),
  field('persistentVolumeClaimRetentionPolicy', given(fields(['whenDeleted', 'whenScaled'], isRetentionPolicy))),
  validateClaims,
  fields(['replicas', 'minReadySeconds'], validateNonNegative),
  ({ ordinals }, path) => validateNonNegative(ordinals?.start, path.child('ordinals.start')),
  field('serviceName', (name, path, _old, { anyServiceName }) =>
    anyServiceName || !name ? [] : isDns1123Label(name).map(text => invalid(path, name, text)),
  ),
  field('selector', requiredSelector('statefulset')),
  (spec, path, _old, { templateErrors }) => {
    const selection = selectionOf(spec.selector)
    if (!selection) return [invalid(path.child('selector'), goLabelSelector(spec.selector ?? {}), '')]
    return [...validateSelects(selection, spec.template, path.child('template')), ...templateErrors]
  },
  field('template', (template, path) => validateRestarting(template, 'StatefulSet', path)),
)

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

function* keepsOtherMembers(spec: StatefulSetSpec, old: StatefulSetSpec, { release }: Features): Steps<FieldError[]> {
  const mutable = MUTABLE.filter(name => isSince(release, MUTABLE_SINCE[name] ?? '1.24'))
  const kept = { ...spec }
  keepMembers(kept, old, ...mutable)
  return (yield* deepEqualInSteps(kept, old)) ? [] : [forbidden(SPEC, immutableExcept(mutable))]
}

/**
 * Validates a StatefulSet. Since 1.34 pod template and claim templates are validated in the form that pods and claims
 * will have; existing sets keep their faults. Before 1.33 revisionHistoryLimit is immutable. Source:
 * pkg/apis/apps/validation in k8s.io/kubernetes.
 */
export function* validateStatefulSet({ spec }: StatefulSet, old: StatefulSet | undefined, { features }: HookContext): Steps<FieldError[]> {
  const errors = specRules(spec, SPEC, old?.spec, yield* toleratedIn(features, spec, old?.spec))
  return old ? [...errors, ...(yield* keepsOtherMembers(spec, old.spec, features))] : [...errors]
}

const TOTAL = 'cannot be greater than status.replicas'

/** Validates the status. No count exceeds the replicas, and the collision count only increases. */
export const validateStatefulSetStatus = rules<StatefulSet>()(
  field(
    'status',
    fields(
      ['replicas', 'readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas', 'observedGeneration', 'collisionCount'],
      validateNonNegative,
    ),
    atMost('readyReplicas', 'replicas', TOTAL),
    atMost('currentReplicas', 'replicas', TOTAL),
    atMost('updatedReplicas', 'replicas', TOTAL),
    atMost('availableReplicas', 'replicas', TOTAL),
    atMost('availableReplicas', 'readyReplicas', 'cannot be greater than status.readyReplicas'),
    field('collisionCount', validateNotDecremented),
  ),
)
