import { quote } from '../../../lib/go-quote.ts'
import { deepEqual } from '../../../meta/equal.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { invalid, required, verbatim } from '../../../meta/field-error.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { isDns1123Subdomain, isQualifiedName, longerThan, nameIsDnsSubdomain } from '../../../meta/names.ts'
import type { Json, KubeObject } from '../../../meta/object.ts'
import { validateObjectMeta, validateObjectMetaUpdate } from '../../../meta/object-meta-validation.ts'

const NAMESPACE_DIFFERS = 'does not match event.namespace'
const UNSET = 'needs to be unset'
const metadata = fieldPath('metadata')

/** `strict`: the request is of events.k8s.io, whose rules come beside those of the core group. */
export function validateEvent(event: KubeObject, old: KubeObject | undefined, strict: boolean): FieldError[] {
  const errors = validateForAll(event, strict)
  if (!strict) return errors
  return [...errors, ...(old ? validateStrictUpdate(event, old) : validateStrictCreate(event))]
}

/** An event with an eventTime is of the new form, and has more rules. */
function validateForAll(event: KubeObject, strict: boolean): FieldError[] {
  const errors: FieldError[] = []
  const namespace = event.metadata.namespace ?? ''
  const objectNamespace: string = event.involvedObject?.namespace ?? ''
  const isNew = Boolean(event.eventTime)
  const elsewhere = isNew
    ? objectNamespace === '' && namespace !== 'default' && namespace !== 'kube-system'
    : objectNamespace === ''
      ? namespace !== '' && namespace !== 'default'
      : namespace !== objectNamespace
  if (elsewhere) errors.push(invalid(fieldPath('involvedObject', 'namespace'), objectNamespace, NAMESPACE_DIFFERS))
  if (isNew) errors.push(...validateNewForm(event, strict))
  for (const message of isDns1123Subdomain(namespace)) errors.push(invalid(fieldPath('namespace'), namespace, message))
  return errors
}

function validateNewForm(event: KubeObject, strict: boolean): FieldError[] {
  const errors: FieldError[] = []
  const checkText = (field: string, max: number, isRequired = true): void => {
    const text: string = event[field] ?? ''
    if (isRequired && text === '') errors.push(required(fieldPath(field)))
    if (longerThan(text, max)) errors.push(invalid(fieldPath(field), '', `can have at most ${max} characters`))
  }
  const controller: string = event.reportingComponent ?? ''
  const path = fieldPath(strict ? 'reportingController' : 'reportingComponent')
  if (controller === '') errors.push(required(path))
  for (const message of isQualifiedName(controller)) errors.push(invalid(path, controller, message))
  checkText('reportingInstance', 128)
  checkText('action', 128)
  checkText('reason', 128)
  checkText('message', 1024, false)
  return errors
}

function validateStrictCreate(event: KubeObject): FieldError[] {
  const errors = [...validateObjectMeta(event.metadata, true, nameIsDnsSubdomain, metadata), ...validateSeries(event)]
  if (!event.eventTime) errors.push(required(fieldPath('eventTime')))
  if (event.type !== 'Normal' && event.type !== 'Warning') errors.push(invalid(fieldPath('type'), '', `has invalid value: ${event.type ?? ''}`))
  for (const field of ['firstTimestamp', 'lastTimestamp', 'count']) if (event[field]) errors.push(invalid(fieldPath(field), '', UNSET))
  if (event.source?.component || event.source?.host) errors.push(invalid(fieldPath('source'), '', UNSET))
  return errors
}

/** Of an event, only its series may change. */
function validateStrictUpdate(event: KubeObject, old: KubeObject): FieldError[] {
  const errors = validateObjectMetaUpdate(event.metadata, old.metadata, metadata)
  if (!deepEqual(event.series, old.series)) errors.push(...validateSeries(event))
  const keep = (field: string, print: (value: Json) => unknown = value => value, name = field): void => {
    if (!deepEqual(event[field] ?? null, old[field] ?? null)) errors.push(invalid(fieldPath(name), print(event[field] ?? null), 'field is immutable'))
  }
  keep('involvedObject', reference)
  for (const field of ['reason', 'message']) keep(field)
  keep('source', goStruct('EventSource', { Component: 'component', Host: 'host' }))
  for (const field of ['firstTimestamp', 'lastTimestamp', 'count', 'reason', 'type', 'eventTime', 'action']) keep(field)
  keep('related', value => (value === null ? null : reference(value)))
  keep('reportingComponent', undefined, 'reportingController')
  keep('reportingInstance')
  return errors
}

/** As Go prints a struct of texts. */
const goStruct =
  (name: string, fields: Readonly<Record<string, string>>) =>
  (value: Json): unknown => {
    const texts = (value ?? {}) as Readonly<Record<string, string>>
    const members = Object.entries(fields).map(([goName, field]) => `${goName}:${quote(texts[field] ?? '')}`)
    return verbatim(`core.${name}{${members.join(', ')}}`)
  }

const reference = goStruct('ObjectReference', {
  Kind: 'kind',
  Namespace: 'namespace',
  Name: 'name',
  UID: 'uid',
  APIVersion: 'apiVersion',
  ResourceVersion: 'resourceVersion',
  FieldPath: 'fieldPath',
})

function validateSeries({ series }: KubeObject): FieldError[] {
  const errors: FieldError[] = []
  if (!series) return errors
  if ((series.count ?? 0) < 2) errors.push(invalid(fieldPath('series.count'), '', 'should be at least 2'))
  if (!series.lastObservedTime) errors.push(required(fieldPath('series.lastObservedTime')))
  return errors
}
