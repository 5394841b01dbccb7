import type {
  ContainerResourceMetricSource,
  ExternalMetricSource,
  MetricIdentifier,
  MetricSpec,
  MetricTarget,
  ObjectMetricSource,
  PodsMetricSource,
  ResourceMetricSource,
} from '../../../api/autoscaling/v2.types.ts'
import { enumValues } from '../../../catalog/types.ts'
import { isStepDone, type Steps } from '../../../lib/steps.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden, invalid, notSupported, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { isDns1123Label, nameIsPathSegment } from '../../../meta/names.ts'
import { quantitySign } from '../../../meta/quantity.ts'
import { validateContainerResourceName } from '../../core/pod-spec/resources.ts'
import { goQuantityValue } from '../../shared/go-values.ts'
import { type ReferenceRules, validateObjectReference } from './object-reference.ts'

const TARGET_TYPES = ['Utilization', 'Value', 'AverageValue']

/** Checks that a quantity is positive, if set. */
const validatePositive = (value: string | undefined, path: FieldPath): FieldError[] =>
  value !== undefined && quantitySign(value) !== 1 ? [invalid(path, goQuantityValue(value), 'must be positive')] : []

/**
 * Validates a target. An empty type is reported twice: as required, and as not one of TARGET_TYPES. The validator of
 * the source checks which value it needs.
 */
function validateTarget(target: MetricTarget, path: FieldPath): FieldError[] {
  const { type, averageUtilization: utilization } = target
  return [
    ...(type === '' ? [required(path.child('type'), 'must specify a metric target type')] : []),
    ...(TARGET_TYPES.includes(type) ? [] : [invalid(path.child('type'), type, 'must be either Utilization, Value, or AverageValue')]),
    ...validatePositive(target.value, path.child('value')),
    ...validatePositive(target.averageValue, path.child('averageValue')),
    ...(utilization !== undefined && utilization < 1
      ? [invalid(path.child('averageUtilization'), utilization, 'must be greater than 0')]
      : []),
  ]
}

function validateIdentifier({ name }: MetricIdentifier, path: FieldPath): FieldError[] {
  const at = path.child('name')
  return name === '' ? [required(at, 'must specify a metric name')] : nameIsPathSegment(name, false).map(text => invalid(at, name, text))
}

/** Checks that a resource has a target for either its utilization or its average value. */
function validateResourceTarget(target: MetricTarget, path: FieldPath): FieldError[] {
  const both = target.averageUtilization !== undefined && target.averageValue !== undefined
  const neither = target.averageUtilization === undefined && target.averageValue === undefined
  return [
    ...validateTarget(target, path),
    ...(neither ? [required(path.child('averageUtilization'), 'must set either a target raw value or a target utilization')] : []),
    ...(both ? [forbidden(path.child('averageValue'), 'may not set both a target raw value and a target utilization')] : []),
  ]
}

/** Checks that at least one value is set. The error is reported for `averageValue`. */
const needsValue = ({ value, averageValue }: MetricTarget, detail: string, path: FieldPath): FieldError[] =>
  value === undefined && averageValue === undefined ? [required(path.child('averageValue'), detail)] : []

/** Validates an object metric. It needs `value` or `averageValue`, and accepts both. */
const validateObject = ({ describedObject, metric, target }: ObjectMetricSource, path: FieldPath, rules: ReferenceRules): FieldError[] => [
  ...validateObjectReference(describedObject, path.child('describedObject'), rules),
  ...validateIdentifier(metric, path.child('metric')),
  ...validateTarget(target, path.child('target')),
  ...needsValue(target, 'must set either a target value or averageValue', path.child('target')),
]

/**
 * Validates an external metric. It needs either `value` or `averageValue`. If both are set, `value` is reported as
 * forbidden.
 */
const validateExternal = ({ metric, target }: ExternalMetricSource, path: FieldPath): FieldError[] => [
  ...validateIdentifier(metric, path.child('metric')),
  ...validateTarget(target, path.child('target')),
  ...needsValue(target, 'must set either a target value for metric or a per-pod target', path.child('target')),
  ...(target.value !== undefined && target.averageValue !== undefined
    ? [forbidden(path.child('target', 'value'), 'may not set both a target value for metric and a per-pod target')]
    : []),
]

/** Validates a pods metric. It needs `averageValue`, and accepts a `value` beside it. */
const validatePods = ({ metric, target }: PodsMetricSource, path: FieldPath): FieldError[] => [
  ...validateIdentifier(metric, path.child('metric')),
  ...validateTarget(target, path.child('target')),
  ...(target.averageValue === undefined
    ? [required(path.child('target', 'averageValue'), 'must specify a positive target averageValue')]
    : []),
]

/** Validates a resource metric. Any non-empty name is accepted, unlike in a container resource metric. */
const validateResource = ({ name, target }: ResourceMetricSource, path: FieldPath): FieldError[] => [
  ...(name ? [] : [required(path.child('name'), 'must specify a resource name')]),
  ...validateResourceTarget(target, path.child('target')),
]

/** Validates a container resource metric. Errors of the name come first, then those of container and target. */
const validateContainerResource = ({ name, container, target }: ContainerResourceMetricSource, path: FieldPath): FieldError[] => {
  const errors: FieldError[] = []
  const at = path.child('container')
  if (name) errors.push(...validateContainerResourceName(name, path.child('name'), String))
  else errors.push(required(path.child('name'), 'must specify a resource name'))
  if (container) errors.push(...isDns1123Label(container).map(text => invalid(at, container, text)))
  else errors.push(required(at, 'must specify a container'))
  return [...errors, ...validateResourceTarget(target, path.child('target'))]
}

/** A metric source: its field, its type, and its validation, if the source is set. */
interface MetricSource {
  readonly member: string
  readonly type: string
  readonly errors: ((path: FieldPath) => FieldError[]) | undefined
}

/** Returns undefined if the source is absent, to distinguish it from a valid source. */
const ifThere = <T>(source: T | undefined, validate: (source: T, path: FieldPath) => FieldError[]): MetricSource['errors'] =>
  source && (path => validate(source, path))

/** Sources in upstream's order. Only the first one that is set is validated. */
const sourcesOf = ({ object, external, pods, resource, containerResource }: MetricSpec, rules: ReferenceRules): MetricSource[] => [
  { member: 'object', type: 'Object', errors: ifThere(object, (source, path) => validateObject(source, path, rules)) },
  { member: 'external', type: 'External', errors: ifThere(external, validateExternal) },
  { member: 'pods', type: 'Pods', errors: ifThere(pods, validatePods) },
  { member: 'resource', type: 'Resource', errors: ifThere(resource, validateResource) },
  { member: 'containerResource', type: 'ContainerResource', errors: ifThere(containerResource, validateContainerResource) },
]
const TYPES = enumValues('autoscaling.MetricSourceType')

/** Errors come in upstream's order: type, the first source that is set, whether it is the wanted one, the others. */
function validateMetric(metric: MetricSpec, path: FieldPath, rules: ReferenceRules): FieldError[] {
  const { type } = metric
  const sources = sourcesOf(metric, rules)
  const wanted = sources.find(source => source.type === type)
  const present = sources.filter(({ errors }) => errors !== undefined)
  const unknown = notSupported(path.child('type'), type, TYPES)
  const errors = type === '' ? [required(path.child('type'), 'must specify a metric source type')] : []
  if (wanted === undefined) errors.push(unknown)
  const [first] = present
  if (first?.errors) errors.push(...first.errors(path.child(first.member)))
  // Upstream reports an unknown type twice.
  if (wanted === undefined) errors.push(unknown)
  else if (!wanted.errors) errors.push(required(path.child(wanted.member), 'must populate information for the given metric source'))
  if (present.length < 2) return errors
  const others = present.filter(source => source !== wanted)
  return [...errors, ...others.map(({ member }) => forbidden(path.child(member), 'must populate the given metric source only'))]
}

/**
 * Validates metrics, in steps. If `minReplicas` is 0, one of them must be measurable without pods. `rules` apply to
 * references to the objects of metrics.
 */
export function* validateMetrics(
  metrics: readonly MetricSpec[],
  minReplicas: number | undefined,
  path: FieldPath,
  rules: ReferenceRules,
): Steps<FieldError[]> {
  const errors: FieldError[] = []
  for (const [i, metric] of metrics.entries()) {
    if (isStepDone()) yield
    errors.push(...validateMetric(metric, path.index(i), rules))
  }
  if (minReplicas === 0 && !metrics.some(({ type }) => type === 'Object' || type === 'External')) {
    errors.push(forbidden(path, 'must specify at least one Object or External metric to support scaling to zero replicas'))
  }
  return errors
}
