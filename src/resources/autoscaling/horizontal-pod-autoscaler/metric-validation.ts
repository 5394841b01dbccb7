import type { FieldError } from '../../../meta/field-error.ts'
import { forbidden, invalid, notSupported, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { isDns1123Label, nameIsPathSegment } from '../../../meta/names.ts'
import { quantitySign } from '../../../meta/quantity.ts'
import type { ApiStruct } from '../../core/checks.ts'
import { checkContainerResourceName } from '../../core/pod-spec/resources.ts'
import { validateObjectReference } from './object-reference.ts'

const TARGET_TYPES = ['Utilization', 'Value', 'AverageValue']

function validateTarget(target: ApiStruct, path: FieldPath): FieldError[] {
  const { type = '', averageUtilization: utilization } = target
  const quantities = ['value', 'averageValue'].filter(member => target[member] !== undefined && quantitySign(target[member]) !== 1)
  return [
    ...(type === '' ? [required(path.child('type'), 'must specify a metric target type')] : []),
    ...(TARGET_TYPES.includes(type) ? [] : [invalid(path.child('type'), type, 'must be either Utilization, Value, or AverageValue')]),
    ...quantities.map(member => invalid(path.child(member), target[member], 'must be positive')),
    ...(utilization !== undefined && utilization < 1 ? [invalid(path.child('averageUtilization'), utilization, 'must be greater than 0')] : []),
  ]
}

function validateIdentifier({ name = '' }: ApiStruct, path: FieldPath): FieldError[] {
  const at = path.child('name')
  return name === '' ? [required(at, 'must specify a metric name')] : nameIsPathSegment(name, false).map(text => invalid(at, name, text))
}

/** Of a resource there is a use or an amount to aim at, not both. */
function validateResourceTarget(target: ApiStruct, path: FieldPath): FieldError[] {
  const both = target.averageUtilization !== undefined && target.averageValue !== undefined
  const neither = target.averageUtilization === undefined && target.averageValue === undefined
  return [
    ...validateTarget(target, path),
    ...(neither ? [required(path.child('averageUtilization'), 'must set either a target raw value or a target utilization')] : []),
    ...(both ? [forbidden(path.child('averageValue'), 'may not set both a target raw value and a target utilization')] : []),
  ]
}

type SourceCheck = (source: ApiStruct, path: FieldPath) => FieldError[]

const needsValue = ({ value, averageValue }: ApiStruct, detail: string, path: FieldPath): FieldError[] =>
  value === undefined && averageValue === undefined ? [required(path.child('averageValue'), detail)] : []

const object: SourceCheck = ({ describedObject = {}, metric = {}, target = {} }, path) => [
  ...validateObjectReference(describedObject, path.child('describedObject')),
  ...validateIdentifier(metric, path.child('metric')),
  ...validateTarget(target, path.child('target')),
  ...needsValue(target, 'must set either a target value or averageValue', path.child('target')),
]

const external: SourceCheck = ({ metric = {}, target = {} }, path) => [
  ...validateIdentifier(metric, path.child('metric')),
  ...validateTarget(target, path.child('target')),
  ...needsValue(target, 'must set either a target value for metric or a per-pod target', path.child('target')),
  ...(target.value !== undefined && target.averageValue !== undefined
    ? [forbidden(path.child('target', 'value'), 'may not set both a target value for metric and a per-pod target')]
    : []),
]

const pods: SourceCheck = ({ metric = {}, target = {} }, path) => [
  ...validateIdentifier(metric, path.child('metric')),
  ...validateTarget(target, path.child('target')),
  ...(target.averageValue === undefined ? [required(path.child('target', 'averageValue'), 'must specify a positive target averageValue')] : []),
]

const resource: SourceCheck = ({ name, target = {} }, path) => [
  ...(name ? [] : [required(path.child('name'), 'must specify a resource name')]),
  ...validateResourceTarget(target, path.child('target')),
]

const containerResource: SourceCheck = ({ name, container, target = {} }, path) => {
  const errors: FieldError[] = []
  const at = path.child('container')
  if (name) checkContainerResourceName(name, path.child('name'), errors)
  else errors.push(required(path.child('name'), 'must specify a resource name'))
  if (container) errors.push(...isDns1123Label(container).map(text => invalid(at, container, text)))
  else errors.push(required(at, 'must specify a container'))
  return [...errors, ...validateResourceTarget(target, path.child('target'))]
}

/** In the order in which they are looked at: only the first that is there is checked itself. */
const SOURCES: readonly { readonly member: string; readonly type: string; readonly check: SourceCheck }[] = [
  { member: 'object', type: 'Object', check: object },
  { member: 'external', type: 'External', check: external },
  { member: 'pods', type: 'Pods', check: pods },
  { member: 'resource', type: 'Resource', check: resource },
  { member: 'containerResource', type: 'ContainerResource', check: containerResource },
]
const TYPES = SOURCES.map(({ type }) => type).sort()

function validateMetric(metric: ApiStruct, path: FieldPath): FieldError[] {
  const type: string = metric.type ?? ''
  const wanted = SOURCES.find(source => source.type === type)?.member
  const present = SOURCES.filter(({ member }) => metric[member])
  const unknown = notSupported(path.child('type'), type, TYPES)
  const errors = type === '' ? [required(path.child('type'), 'must specify a metric source type')] : []
  if (wanted === undefined) errors.push(unknown)
  errors.push(...present.slice(0, 1).flatMap(({ member, check }) => check(metric[member], path.child(member))))
  // An unknown type is told twice, as upstream does.
  if (wanted === undefined) errors.push(unknown)
  else if (!metric[wanted]) errors.push(required(path.child(wanted), 'must populate information for the given metric source'))
  if (present.length < 2) return errors
  const others = present.filter(({ member }) => member !== wanted)
  return [...errors, ...others.map(({ member }) => forbidden(path.child(member), 'must populate the given metric source only'))]
}

/** `minReplicas` 0 wants a metric that can be measured without pods. */
export function validateMetrics(metrics: readonly ApiStruct[], minReplicas: number | undefined, path: FieldPath): FieldError[] {
  const errors = metrics.flatMap((metric, i) => validateMetric(metric, path.index(i)))
  if (minReplicas === 0 && !metrics.some(({ type }) => type === 'Object' || type === 'External')) {
    errors.push(forbidden(path, 'must specify at least one Object or External metric to support scaling to zero replicas'))
  }
  return errors
}
