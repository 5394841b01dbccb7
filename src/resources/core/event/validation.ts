import type { Event } from '../../../api/core/v1.types.ts'
import { goJsonText } from '../../../lib/go-json-text.ts'
import { quote } from '../../../lib/go-quote.ts'
import { deepEqual } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { immutableError, invalid, required, type Verbatim, verbatim } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { isDns1123Subdomain, isQualifiedName, longerThan, nameIsDnsSubdomain } from '../../../meta/names.ts'
import { validateObjectMeta, validateObjectMetaUpdate } from '../../../meta/object-meta-validation.ts'

const NAMESPACE_DIFFERS = 'does not match event.namespace'
const UNSET = 'needs to be unset'
const METADATA = fieldPath('metadata')

/** Rules that depend on the version of the request. */
export interface EventRules {
  /** Whether the additional rules of events.k8s.io/v1 apply. */
  readonly strict: boolean
  /** Name that errors give to `reportingComponent`. */
  readonly controllerName: 'reportingComponent' | 'reportingController'
}

/** Validates an event. Source: pkg/apis/core/validation/events.go in k8s.io/kubernetes. */
export function validateEvent(event: Event, old: Event | undefined, { strict, controllerName }: EventRules): FieldError[] {
  const errors = validateForAll(event, controllerName)
  if (!strict) return errors
  return [...errors, ...(old ? validateStrictUpdate(event, old) : validateStrictCreate(event))]
}

/**
 * Checks the rules of every version. An event with an eventTime has the events.k8s.io form, and more rules. If the
 * involved object has no namespace, an event in core/v1 form must be in `default`, and one in events.k8s.io form in
 * `default` or `kube-system`. If it has a namespace, only an event in core/v1 form must be in the same one.
 */
function validateForAll(event: Event, controllerName: EventRules['controllerName']): FieldError[] {
  const errors: FieldError[] = []
  const namespace = event.metadata.namespace ?? ''
  const objectNamespace = event.involvedObject.namespace ?? ''
  const isNew = Boolean(event.eventTime)
  const elsewhere = isNew
    ? objectNamespace === '' && namespace !== 'default' && namespace !== 'kube-system'
    : objectNamespace === ''
      ? namespace !== '' && namespace !== 'default'
      : namespace !== objectNamespace
  if (elsewhere) errors.push(invalid(fieldPath('involvedObject', 'namespace'), objectNamespace, NAMESPACE_DIFFERS))
  if (isNew) errors.push(...validateNewForm(event, controllerName))
  for (const message of isDns1123Subdomain(namespace)) errors.push(invalid(fieldPath('namespace'), namespace, message))
  return errors
}

/** The error for a text that is too long does not contain the text. */
function validateNewForm(event: Event, controllerName: EventRules['controllerName']): FieldError[] {
  const errors: FieldError[] = []
  const checkText = (field: 'reportingInstance' | 'action' | 'reason' | 'message', max: number, isRequired = true): void => {
    const text = event[field] ?? ''
    if (isRequired && text === '') errors.push(required(fieldPath(field)))
    if (longerThan(text, max)) errors.push(invalid(fieldPath(field), '', `can have at most ${max} characters`))
  }
  const controller = event.reportingComponent
  const path = fieldPath(controllerName)
  if (controller === '') errors.push(required(path))
  for (const message of isQualifiedName(controller)) errors.push(invalid(path, controller, message))
  checkText('reportingInstance', 128)
  checkText('action', 128)
  checkText('reason', 128)
  checkText('message', 1024, false)
  return errors
}

/**
 * Checks a create in strict mode. Deprecated core/v1 fields must be unset. Errors show an empty value instead of the
 * rejected one.
 */
function validateStrictCreate(event: Event): FieldError[] {
  const errors = [...validateObjectMeta(event.metadata, true, nameIsDnsSubdomain, METADATA), ...validateSeries(event)]
  if (!event.eventTime) errors.push(required(fieldPath('eventTime')))
  if (event.type !== 'Normal' && event.type !== 'Warning')
    errors.push(invalid(fieldPath('type'), '', `has invalid value: ${event.type ?? ''}`))
  for (const field of ['firstTimestamp', 'lastTimestamp', 'count'] as const)
    if (event[field]) errors.push(invalid(fieldPath(field), '', UNSET))
  if (event.source.component || event.source.host) errors.push(invalid(fieldPath('source'), '', UNSET))
  return errors
}

/** Checks an update in strict mode: only the series of an event may change. */
function validateStrictUpdate(event: Event, old: Event): FieldError[] {
  const errors = validateObjectMetaUpdate(event.metadata, old.metadata, METADATA)
  if (!deepEqual(event.series, old.series)) errors.push(...validateSeries(event))
  return [
    ...errors,
    ...kept('involvedObject', event.involvedObject, old.involvedObject, reference),
    ...kept('reason', event.reason, old.reason),
    ...kept('message', event.message, old.message),
    ...kept('source', event.source, old.source, goStruct('EventSource', { Component: 'component', Host: 'host' })),
    ...kept('firstTimestamp', event.firstTimestamp, old.firstTimestamp, timeText),
    ...kept('lastTimestamp', event.lastTimestamp, old.lastTimestamp, timeText),
    ...kept('count', event.count, old.count, value => value ?? 0),
    ...kept('reason', event.reason, old.reason),
    ...kept('type', event.type, old.type),
    ...kept('eventTime', event.eventTime, old.eventTime, timeText),
    ...kept('action', event.action, old.action),
    ...kept('related', event.related, old.related, value => (value === undefined ? null : reference(value))),
    ...kept('reportingController', event.reportingComponent, old.reportingComponent),
    ...kept('reportingInstance', event.reportingInstance, old.reportingInstance),
  ]
}

/** Returns an error if the member has changed. Upstream reports a changed reason twice. */
const kept = <T>(name: string, next: T, old: T, print: (value: T) => unknown = value => value ?? ''): FieldError[] =>
  deepEqual(next, old) ? [] : [immutableError(fieldPath(name), print(next))]

/** An absent time prints as Go's zero time. */
const timeText = (time: string | null | undefined): unknown => time ?? verbatim('0001-01-01 00:00:00 +0000 UTC', () => 'null')

/** Prints a struct of strings as Go's `%#v` does. */
const goStruct =
  <K extends string>(name: string, fields: Readonly<Record<string, K>>) =>
  (value: Readonly<Partial<Record<K, string>>>): Verbatim =>
    verbatim(
      `core.${name}{${Object.entries(fields)
        .map(([goName, field]) => `${goName}:${quote(value[field] ?? '')}`)
        .join(', ')}}`,
      () => goJsonText(Object.fromEntries(Object.entries(fields).map(([goName, field]) => [goName, value[field] ?? '']))),
    )

const reference = goStruct('ObjectReference', {
  Kind: 'kind',
  Namespace: 'namespace',
  Name: 'name',
  UID: 'uid',
  APIVersion: 'apiVersion',
  ResourceVersion: 'resourceVersion',
  FieldPath: 'fieldPath',
})

/** Checks the series. Its count starts at 2: a single event has no series. */
function validateSeries({ series }: Event): FieldError[] {
  const errors: FieldError[] = []
  if (!series) return errors
  if ((series.count ?? 0) < 2) errors.push(invalid(fieldPath('series.count'), '', 'should be at least 2'))
  if (!series.lastObservedTime) errors.push(required(fieldPath('series.lastObservedTime')))
  return errors
}
