import type { ISCSIPersistentVolumeSource, ISCSIVolumeSource } from '../../../api/core/v1.types.ts'
import type { FieldError } from '../../../meta/field-error.ts'
import { invalid, required } from '../../../meta/field-error.ts'
import type { FieldPath } from '../../../meta/field-path.ts'
import { inclusiveRange } from '../checks.ts'

/** Formats by prefix. The expressions are upstream’s, in which the `.` after eui and naa matches any character. */
const FORMATS: readonly (readonly [prefix: string, hasFormat: (name: string) => boolean])[] = [
  ['iqn', isQualifiedName],
  ['eui', name => /^eui.[A-Za-z0-9]{16}$/.test(name)],
  ['naa', name => /^naa.[A-Za-z0-9]{32}$/.test(name)],
]

/**
 * Reports whether upstream's `iqn\.\d{4}-\d{2}\.([[:alnum:]-.]+)(:[^,;*&$|\s]+)$` matches anywhere. The expression
 * itself takes quadratic time in JavaScript.
 */
function isQualifiedName(name: string): boolean {
  const tail = name.split(/[,;*&$|\s]/).at(-1) ?? ''
  const parts = tail.split(':')
  const authorities = parts.slice(0, parts.at(-1) === '' ? -2 : -1)
  return authorities.some(part => /iqn\.\d{4}-\d{2}\.[A-Za-z0-9\-.]/.test(part.split(/[^A-Za-z0-9\-.]/).at(-1) ?? ''))
}

const BAD_FORM = 'must be valid format'
const BAD_START = 'must be valid format starting with iqn, eui, or naa'
export const ISCSI_NAME_TOO_LONG =
  'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.'

function validateName(name: string, badStart: string, path: FieldPath): FieldError[] {
  const known = FORMATS.find(([prefix]) => name.startsWith(prefix))
  if (!known) return [invalid(path, name, badStart)]
  return known[1](name) ? [] : [invalid(path, name, BAD_FORM)]
}

/**
 * Validates an iSCSI source. `persistent` is set for a PersistentVolume, with its name; for a pod, validation.ts checks
 * the length of name and portal. Only a persistent volume must name the secret in `secretRef`. The paths `targetportal`
 * and `initiatorname` are upstream’s spelling.
 */
export function validateIscsi(
  iscsi: ISCSIVolumeSource | ISCSIPersistentVolumeSource,
  path: FieldPath,
  persistent?: { readonly name: string },
): FieldError[] {
  const errors: FieldError[] = []
  const { iqn, lun, targetPortal: portal } = iscsi
  if (portal === '') errors.push(required(path.child('targetPortal')))
  if (persistent && iscsi.initiatorName !== undefined && `${persistent.name}:${portal}`.length > 64) {
    errors.push(invalid(path.child('targetportal'), portal, ISCSI_NAME_TOO_LONG))
  }
  if (iqn === '') errors.push(required(path.child('iqn')))
  else errors.push(...validateName(iqn, persistent ? BAD_FORM : BAD_START, path.child('iqn')))
  if (lun < 0 || lun > 255) errors.push(invalid(path.child('lun'), lun, inclusiveRange(0, 255)))
  if ((iscsi.chapAuthDiscovery || iscsi.chapAuthSession) && !iscsi.secretRef) errors.push(required(path.child('secretRef')))
  if (persistent && iscsi.secretRef && !iscsi.secretRef.name) errors.push(required(path.child('secretRef', 'name')))
  if (iscsi.initiatorName !== undefined) errors.push(...validateName(iscsi.initiatorName, BAD_START, path.child('initiatorname')))
  return errors
}
