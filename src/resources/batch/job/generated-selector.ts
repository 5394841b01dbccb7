import type { Job } from '../../../api/batch/v1.types.ts'
import type { PodTemplateSpec } from '../../../api/core/v1.types.ts'
import type { Steps } from '../../../lib/steps.ts'
import { hasNoMembers } from '../../../lib/wide-objects.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { hasFewValues } from '../../../meta/few-values.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { invalid, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { matchesLabels } from '../../../meta/label-selector.ts'
import { cloneInSteps } from '../../../meta/whole-floats.ts'
import { selectionOf } from '../../core/workload/template.ts'
import { goLabelSelector, goStringMap } from '../../shared/go-syntax.ts'

type TemplateLabels = Record<string, string>

/** Labels of releases before 1.27, without a prefix. Since then new jobs have both forms. */
const OLD_UID = 'controller-uid'
const OLD_NAME = 'job-name'
const UID = 'batch.kubernetes.io/controller-uid'
const NAME = 'batch.kubernetes.io/job-name'

const templateLabels = (template: PodTemplateSpec | undefined): TemplateLabels | undefined => template?.metadata.labels

const hasPrefix = (release: Release): boolean => isSince(release, '1.27')

/** Adds missing labels in place. An existing key keeps its value. */
function giveMissing(labels: TemplateLabels, wanted: Readonly<TemplateLabels>): void {
  for (const [key, value] of Object.entries(wanted)) if (!Object.hasOwn(labels, key)) labels[key] = value
}

/**
 * Labels the pods of a new job with its name and UID, and selects them by UID, unless manualSelector is set. The UID
 * has been assigned before.
 */
export function prepareSelector({ metadata, spec }: Job, release: Release): void {
  if (spec.manualSelector) return
  const name = metadata.name ?? ''
  const uid = metadata.uid ?? ''
  const prefixed = hasPrefix(release)
  spec.template.metadata.labels ??= {}
  giveMissing(spec.template.metadata.labels, {
    [OLD_NAME]: name,
    ...(prefixed && { [NAME]: name }),
    [OLD_UID]: uid,
    ...(prefixed && { [UID]: uid }),
  })
  spec.selector ??= {}
  spec.selector.matchLabels ??= {}
  giveMissing(spec.selector.matchLabels, { [prefixed ? UID : OLD_UID]: uid })
}

/**
 * Gives a job without labels those of its template, including the generated ones, in steps if they are many. The labels
 * are copied here, since defaulting may have shared the map.
 */
export function takeLabels({ metadata, spec }: Job): Steps<void> | undefined {
  const labels = templateLabels(spec.template)
  if (labels === undefined || (metadata.labels !== labels && !hasNoMembers(metadata.labels))) return undefined
  if (!hasFewValues(labels)) return takeCopy(metadata, labels)
  metadata.labels = { ...labels }
  return undefined
}

function* takeCopy(metadata: Job['metadata'], labels: TemplateLabels): Steps<void> {
  metadata.labels = yield* cloneInSteps(labels)
}

/** `path` is that of metadata. The error for a wrong value shows all labels. */
function requireLabel(labels: TemplateLabels | undefined, key: string, value: string, path: FieldPath): FieldError[] {
  const at = path.child('labels').key(key)
  if (!labels || !Object.hasOwn(labels, key)) return [required(at, `must be '${value}'`)]
  return labels[key] === value ? [] : [invalid(at, goStringMap(labels), `must be '${value}'`)]
}

/**
 * Checks that selector and labels are the generated ones. Jobs of old releases have only labels without a prefix, and
 * stay valid.
 */
export function validateGeneratedSelector({ metadata, spec }: Job, old: Job | undefined, release: Release): FieldError[] {
  if (spec.manualSelector || !spec.selector) return []
  const name = metadata.name ?? ''
  const uid = metadata.uid ?? ''
  const oldLabels = templateLabels(old?.spec.template) ?? {}
  const prefixed = old ? Object.hasOwn(oldLabels, NAME) && Object.hasOwn(oldLabels, UID) : hasPrefix(release)
  const wanted: TemplateLabels = { [OLD_UID]: uid, [OLD_NAME]: name, ...(prefixed && { [UID]: uid, [NAME]: name }) }
  const errors = uid === '' ? [required(fieldPath('metadata', 'uid'))] : []
  const path = fieldPath('spec', 'template', 'metadata')
  for (const [key, value] of Object.entries(wanted)) errors.push(...requireLabel(templateLabels(spec.template), key, value, path))
  const selection = selectionOf(spec.selector)
  if (selection && !matchesLabels(selection, wanted)) {
    errors.push(invalid(fieldPath('spec', 'selector'), goLabelSelector(spec.selector), '`selector` not auto-generated'))
  }
  return errors
}
