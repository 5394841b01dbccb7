import type { Json } from '../../../api/meta/object.ts'
import { runAtOnce, type Steps } from '../../../lib/steps.ts'
import { invalid, required } from '../../../meta/field-error.ts'
import type { FieldReader } from '../field-reader.ts'
import { decodeInSteps } from '../object-reader.ts'
import { TemplateError } from '../template/errors.ts'
import { compileTemplate, type Template } from '../template/template.ts'
import { DURATION_FORM, INTEGER_FORM, numberFrom } from './expressions.ts'
import { selectorOf } from './selector.ts'
import type { PatchMediaType, Stage, StageEvent, StageFinalizers, StageNumber, StagePatch, StageStep, StageWrite } from './stage.ts'

/**
 * Decodes and compiles a Stage, in steps of one expression or template. Throws KwokObjectError, which lists every
 * invalid field, query, expression and template.
 */
export const decodeStageInSteps = (object: Json): Steps<Stage> => decodeInSteps(object, ['Stage'], (spec, { name }) => stageOf(spec, name))

/** `decodeStageInSteps` in one call, for Stages that are built in. */
export const decodeStage = (object: Json): Stage => runAtOnce(decodeStageInSteps(object))

function* stageOf(spec: FieldReader, name: string): Steps<Stage> {
  const resource = spec.object('resourceRef')
  if (resource === undefined) spec.report(required(spec.path.child('resourceRef')))
  const kind = resource?.requiredText('kind') ?? ''
  const apiVersion = resource?.text('apiGroup') ?? 'v1'
  resource?.rejectOthers()
  const selector = spec.object('selector')
  const stage = {
    name,
    apiVersion,
    kind,
    requirements: selector && (yield* selectorOf(selector)),
    weight: numberFrom(spec.object('weightFrom'), spec.integer('weight', 0) ?? 0, INTEGER_FORM),
    ...timingOf(spec.object('delay')),
    steps: yield* stepsOf(spec),
    immediateNextStage: spec.flag('immediateNextStage'),
  }
  spec.rejectOthers()
  return stage
}

function timingOf(delay: FieldReader | undefined): { delay?: StageNumber; jitter?: StageNumber } {
  if (delay === undefined) return {}
  const duration = numberFrom(delay.object('durationFrom'), delay.integer('durationMilliseconds', 0) ?? 0, DURATION_FORM)
  const hasJitter = delay.has('jitterDurationMilliseconds') || delay.has('jitterDurationFrom')
  const jitter = numberFrom(delay.object('jitterDurationFrom'), delay.integer('jitterDurationMilliseconds', 0), DURATION_FORM)
  delay.rejectOthers()
  return hasJitter ? { delay: duration, jitter } : { delay: duration }
}

/** Reads `steps`, or else `next` of older stages. */
function* stepsOf(spec: FieldReader): Steps<StageStep[]> {
  const steps = yield* eachInStep(spec.objects('steps'), stepOf)
  const next = spec.object('next')
  const older = next ? yield* nextSteps(next) : []
  return steps.length > 0 ? steps : older
}

function* eachInStep<T>(readers: readonly FieldReader[], decode: (reader: FieldReader) => T): Steps<T[]> {
  const decoded: T[] = []
  for (const reader of readers) {
    yield
    decoded.push(decode(reader))
  }
  return decoded
}

function stepOf(reader: FieldReader): StageStep {
  const event = reader.object('event')
  const finalizers = reader.object('finalizers')
  const patch = reader.object('patch')
  const apply = reader.object('apply')
  const step: StageStep = {
    ...(event && { event: eventOf(event) }),
    ...(finalizers && { finalizers: finalizersOf(finalizers) }),
    delete: reader.flag('delete'),
    ...(patch && patchPart(patch)),
    ...(apply && applyPart(apply)),
  }
  reader.rejectOthers()
  return step
}

/**
 * Converts `next`: event, finalizers, patches or the status template, and deletion, in this order. Source: kwok,
 * pkg/apis/internalversion/conversion.go.
 */
function* nextSteps(next: FieldReader): Steps<StageStep[]> {
  const event = next.object('event')
  const finalizers = next.object('finalizers')
  const patches = yield* eachInStep(next.objects('patches'), patchPart)
  const status = statusPatch(next)
  const steps: StageStep[] = [
    ...(event ? [{ event: eventOf(event), delete: false }] : []),
    ...(finalizers ? [{ finalizers: finalizersOf(finalizers), delete: false }] : []),
    ...(patches.length > 0 ? patches : status ? [{ patch: status }] : []).map(patch => ({ ...patch, delete: false })),
    ...(next.flag('delete') ? [{ delete: true }] : []),
  ]
  next.rejectOthers()
  return steps
}

function statusPatch(next: FieldReader): StagePatch | undefined {
  const template = next.has('statusTemplate') && next.text('statusTemplate') !== '' ? templateAt(next, 'statusTemplate') : undefined
  const subresource = next.text('statusSubresource') ?? 'status'
  const impersonation = impersonationAt(next, 'statusPatchAs')
  return template && { template, root: 'status', subresource, ...impersonation }
}

function eventOf(reader: FieldReader): StageEvent {
  const event = { type: reader.text('type') ?? '', reason: reader.text('reason') ?? '', message: reader.text('message') ?? '' }
  reader.rejectOthers()
  return event
}

function finalizersOf(reader: FieldReader): StageFinalizers {
  const valuesOf = (name: string): string[] =>
    reader.objects(name).map(item => {
      const value = item.requiredText('value')
      item.rejectOthers()
      return value
    })
  const finalizers = { add: valuesOf('add'), remove: valuesOf('remove'), empty: reader.flag('empty') }
  reader.rejectOthers()
  return finalizers
}

const PATCH_TYPES: Readonly<Record<string, PatchMediaType>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
}

function patchPart(reader: FieldReader): { patch?: StagePatch } {
  const root = reader.text('root') ?? ''
  const write = writeOf(reader, ['json', 'merge', 'strategic'])
  return write ? { patch: { ...write, root } } : {}
}

function applyPart(reader: FieldReader): { apply?: StageWrite } {
  const write = writeOf(reader, ['apply', 'merge', 'strategic'])
  return write ? { apply: write } : {}
}

function writeOf(reader: FieldReader, types: readonly string[]): StageWrite | undefined {
  const type = PATCH_TYPES[reader.oneOf('type', types) ?? '']
  const subresource = reader.text('subresource') ?? ''
  const impersonation = impersonationAt(reader, 'impersonation')
  const template = templateAt(reader, 'template')
  reader.has('root')
  reader.rejectOthers()
  return template && { template, subresource, ...(type && { type }), ...impersonation }
}

function impersonationAt(reader: FieldReader, name: string): { impersonation?: string } {
  const config = reader.object(name)
  if (config === undefined) return {}
  const impersonation = config.requiredText('username')
  config.rejectOthers()
  return { impersonation }
}

/** Compiles a template, and reports an error at its field. */
function templateAt(reader: FieldReader, name: string): Template | undefined {
  const text = reader.text(name)
  if (text === undefined) {
    if (!reader.has(name)) reader.report(required(reader.path.child(name)))
    return undefined
  }
  try {
    return compileTemplate(text)
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    reader.report(invalid(reader.path.child(name), text.length > 100 ? `${text.slice(0, 100)}…` : text, error.message))
    return undefined
  }
}
