import { quote } from '../../../lib/go-quote.ts'
import { deepEqual } from '../../../meta/equal.ts'
import { forbidden, invalid, required, tooLong, verbatim } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { fieldPath } from '../../../meta/field-path.ts'
import { longerThan, nameIsDnsSubdomain, rangeError } from '../../../meta/names.ts'
import type { KubeObject } from '../../../meta/object.ts'
import type { ApiStruct, Errors } from '../../core/checks.ts'
import { MAX_INT32, report } from '../../core/checks.ts'
import { checkCsiDriverName } from '../../core/volume/sources.ts'
import { goPointer } from '../../shared/go-syntax.ts'
import { bytesOf, MOST_BYTES } from '../parameters.ts'
import { checkInlineVolume } from './inline-volume.ts'

const MESSAGE_LIMIT = 1024
const ONE = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName'

const printSpec = ({ attacher = '', source = {}, nodeName = '' }: ApiStruct): string =>
  `storage.VolumeAttachmentSpec{Attacher:${quote(attacher)}, Source:storage.VolumeAttachmentSource{PersistentVolumeName:${goPointer('string', source.persistentVolumeName)}, ` +
  `InlineVolumeSpec:${goPointer('core.PersistentVolumeSpec', source.inlineVolumeSpec)}}, NodeName:${quote(nodeName)}}`

function checkSource({ persistentVolumeName: name, inlineVolumeSpec: inline }: ApiStruct, path: FieldPath, errors: Errors): void {
  if (name === undefined && !inline) errors.push(required(path, ONE))
  else if (name !== undefined && inline) errors.push(forbidden(path, ONE))
  else if (name === '') errors.push(required(path.child('persistentVolumeName'), 'must specify non empty persistentVolumeName'))
  else if (inline) checkInlineVolume(inline, path.child('inlineVolumeSpec'), errors)
}

function checkError(error: ApiStruct | undefined, path: FieldPath, errors: Errors): void {
  if (!error) return
  // The limit that is told is another than the one that holds, as upstream has it.
  if (longerThan(error.message ?? '', MESSAGE_LIMIT)) errors.push(tooLong(path.child('message'), MOST_BYTES))
  if ((error.errorCode ?? 0) < 0) errors.push(invalid(path.child('errorCode'), error.errorCode, rangeError(0, MAX_INT32)))
}

function checkAttachment({ spec = {}, status = {} }: KubeObject, errors: Errors): void {
  const path = fieldPath('spec')
  const at = fieldPath('status')
  if (!spec.attacher) errors.push(required(path.child('attacher')))
  checkSource(spec.source ?? {}, path.child('source'), errors)
  report(nameIsDnsSubdomain(spec.nodeName ?? '', false), path.child('nodeName'), spec.nodeName ?? '', errors)
  if (bytesOf(status.attachmentMetadata ?? {}) > MOST_BYTES) errors.push(tooLong(at.child('attachmentMetadata'), MOST_BYTES))
  checkError(status.attachError, at.child('attachError'), errors)
  checkError(status.detachError, at.child('detachError'), errors)
}

/** Of a new object only: v1 is stricter than v1beta1 was, and updates let pass what is there. */
function checkNames({ spec = {} }: KubeObject, errors: Errors): void {
  const name: string | undefined = spec.source?.persistentVolumeName
  checkCsiDriverName(spec.attacher ?? '', fieldPath('spec', 'attacher'), errors)
  if (name !== undefined) report(nameIsDnsSubdomain(name, false), fieldPath('spec', 'source', 'persistentVolumeName'), name, errors)
}

export function validateVolumeAttachment(next: KubeObject, old: KubeObject | undefined): Errors {
  const errors: Errors = []
  checkAttachment(next, errors)
  if (!old) {
    checkNames(next, errors)
    return errors
  }
  // An update is checked as a new object and as an update, so upstream tells every cause twice.
  errors.push(...errors)
  if (!deepEqual(next.spec, old.spec)) errors.push(invalid(fieldPath('spec'), verbatim(printSpec(next.spec)), 'field is immutable'))
  return errors
}
