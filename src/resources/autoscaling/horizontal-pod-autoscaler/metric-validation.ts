import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden, invalid, notSupported, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { isDns1123Label, nameIsPathSegment } from '../../../meta/names.ts'
import { quantitySign } from '../../../meta/quantity.ts'
import { validateContainerResourceName } from '../../core/pod-spec/resources.ts'
import { goQuantityValue } from '../../shared/go-values.ts'
import type {
  ContainerResourceMetricSource,
  ExternalMetricSource,
  MetricIdentifier,
  MetricSpec,
  MetricTarget,
  ObjectMetricSource,
  PodsMetricSource,
  ResourceMetricSource,
} from '../v2.types.ts'
import { type ReferenceRules, validateObjectReference } from './object-reference.ts'

const TARGET_TYPES = ['Utilization', 'Value', 'AverageValue']

/** An absent quantity is valid; zero is not. */
const validatePositive = (value: string | undefined, path: FieldPath): FieldError[] =>
  value !== undefined && quantitySign(value) !== 1 ? [invalid(path, goQuantityValue(value), 'must be positive')] : []

/** An empty type is reported twice: as absent, and as none of TARGET_TYPES. Which value a source needs is left to its validator. */
function validateTarget(target: MetricTarget, path: FieldPath): FieldError[] {
  const { type, averageUtilization: utilization } = target
  return [
    ...(type === '' ? [required(path.child('type'), 'must specify a metric target type')] : []),
    ...(TARGET_TYPES.includes(type) ? [] : [invalid(path.child('type'), type, 'must be either Utilization, Value, or AverageValue')]),
    ...validatePositive(target.value, path.child('value')),
    ...validatePositive(target.averageValue, path.child('averageValue')),
    ...(utilization !== undefined && utilization < 1 ? [invalid(path.child('averageUtilization'), utilization, 'must be greater than 0')] : []),
  ]
}

function validateIdentifier({ name }: MetricIdentifier, path: FieldPath): FieldError[] {
  const at = path.child('name')
  return name === '' ? [required(at, 'must specify a metric name')] : nameIsPathSegment(name, false).map(text => invalid(at, name, text))
}

/** Of a resource there is a use or an amount to aim at, not both. */
function validateResourceTarget(target: MetricTarget, path: FieldPath): FieldError[] {
  const both = target.averageUtilization !== undefined && target.averageValue !== undefined
  const neither = target.averageUtilization === undefined && target.averageValue === undefined
  return [
    ...validateTarget(target, path),
    ...(neither ? [required(path.child('averageUtilization'), 'must set either a target raw value or a target utilization')] : []),
    ...(both ? [forbidden(path.child('averageValue'), 'may not set both a target raw value and a target utilization')] : []),
  ]
}

/** One of the two is required. The error is reported at `averageValue`. */
const needsValue = ({ value, averageValue }: MetricTarget, detail: string, path: FieldPath): FieldError[] =>
  value === undefined && averageValue === undefined ? [required(path.child('averageValue'), detail)] : []

/** Needs `value` or `averageValue`, and accepts both. */
const validateObject = ({ describedObject, metric, target }: ObjectMetricSource, path: FieldPath, rules: ReferenceRules): FieldError[] => [
  ...validateObjectReference(describedObject, path.child('describedObject'), rules),
  ...validateIdentifier(metric, path.child('metric')),
  ...validateTarget(target, path.child('target')),
  ...needsValue(target, 'must set either a target value or averageValue', path.child('target')),
]

/** Needs exactly one of `value` and `averageValue`. Both are reported as forbidden at `value`. */
const validateExternal = ({ metric, target }: ExternalMetricSource, path: FieldPath): FieldError[] => [
  ...validateIdentifier(metric, path.child('metric')),
  ...validateTarget(target, path.child('target')),
  ...needsValue(target, 'must set either a target value for metric or a per-pod target', path.child('target')),
  ...(target.value !== undefined && target.averageValue !== undefined
    ? [forbidden(path.child('target', 'value'), 'may not set both a target value for metric and a per-pod target')]
    : []),
]

/** Needs `averageValue`. A `value` beside it is accepted. */
const validatePods = ({ metric, target }: PodsMetricSource, path: FieldPath): FieldError[] => [
  ...validateIdentifier(metric, path.child('metric')),
  ...validateTarget(target, path.child('target')),
  ...(target.averageValue === undefined ? [required(path.child('target', 'averageValue'), 'must specify a positive target averageValue')] : []),
]

/** Any non-empty name is accepted, unlike in a metric of one container. */
const validateResource = ({ name, target }: ResourceMetricSource, path: FieldPath): FieldError[] => [
  ...(name ? [] : [required(path.child('name'), 'must specify a resource name')]),
  ...validateResourceTarget(target, path.child('target')),
]

/** Errors of the name come first, then those of the container and of the target. */
const validateContainerResource = ({ name, container, target }: ContainerResourceMetricSource, path: FieldPath): FieldError[] => {
  const errors: FieldError[] = []
  const at = path.child('container')
  if (name) errors.push(...validateContainerResourceName(name, path.child('name'), String))
  else errors.push(required(path.child('name'), 'must specify a resource name'))
  if (container) errors.push(...isDns1123Label(container).map(text => invalid(at, container, text)))
  else errors.push(required(at, 'must specify a container'))
  return [...errors, ...validateResourceTarget(target, path.child('target'))]
}

/** A source of a metric: its field, the type that names it, and what is wrong with it where it is there. */
interface Source {
  readonly member: string
  readonly type: string
  readonly errors: ((path: FieldPath) => FieldError[]) | undefined
}

/** Undefined for a source that is absent, so that the caller can distinguish it from a valid one. */
const ifThere = <T>(source: T | undefined, validate: (source: T, path: FieldPath) => FieldError[]): Source['errors'] =>
  source && (path => validate(source, path))

/** In the order in which they are looked at: only the first that is there is checked itself. */
const sourcesOf = ({ object, external, pods, resource, containerResource }: MetricSpec, rules: ReferenceRules): Source[] => [
  { member: 'object', type: 'Object', errors: ifThere(object, (source, path) => validateObject(source, path, rules)) },
  { member: 'external', type: 'External', errors: ifThere(external, validateExternal) },
  { member: 'pods', type: 'Pods', errors: ifThere(pods, validatePods) },
  { member: 'resource', type: 'Resource', errors: ifThere(resource, validateResource) },
  { member: 'containerResource', type: 'ContainerResource', errors: ifThere(containerResource, validateContainerResource) },
]
const TYPES = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource']

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
  // An unknown type is reported twice, as upstream does.
  if (wanted === undefined) errors.push(unknown)
  else if (!wanted.errors) errors.push(required(path.child(wanted.member), 'must populate information for the given metric source'))
  if (present.length < 2) return errors
  const others = present.filter(source => source !== wanted)
  return [...errors, ...others.map(({ member }) => forbidden(path.child(member), 'must populate the given metric source only'))]
}

/** `minReplicas` 0 wants a metric that can be measured without pods. `rules`: of the objects that metrics are about. */
export function validateMetrics(metrics: readonly MetricSpec[], minReplicas: number | undefined, path: FieldPath, rules: ReferenceRules): FieldError[] {
  const errors = metrics.flatMap((metric, i) => validateMetric(metric, path.index(i), rules))
  if (minReplicas === 0 && !metrics.some(({ type }) => type === 'Object' || type === 'External')) {
    errors.push(forbidden(path, 'must specify at least one Object or External metric to support scaling to zero replicas'))
  }
  return errors
}
