import type { Json } from '../../api/meta/object.ts'
import type { DeviceConfiguration } from '../../api/resource/v1beta2.types.ts'
import { isSince, type Release } from '../../lifecycle/release.ts'
import type { FieldError } from '../../meta/field-error.ts'
import { invalid, required, tooLongError } from '../../meta/field-error.ts'
import type { FieldPath } from '../../meta/field-path.ts'
import { longerThan } from '../../meta/names.ts'
import { validateDriverName } from './names.ts'

const MAX_BYTES = 10 * 1024

/**
 * Validates a JSON object of at most 10 KiB of text. `stored` is set if it was accepted before the limit existed. The
 * size is checked before the type.
 */
export function validateRaw(raw: Json | undefined, stored: boolean, release: Release, path: FieldPath): FieldError[] {
  if (raw === undefined || raw === null) return [required(path)]
  if (
    !stored &&
    longerThan(
      JSON.stringify(raw, (_, value) => (typeof value === 'bigint' ? Number(value) : value)),
      MAX_BYTES,
    )
  )
    return [tooLongError(path, MAX_BYTES)]
  if (typeof raw !== 'object' || Array.isArray(raw))
    return [invalid(path, '<value omitted>', `${isSince(release, '1.34') ? '' : 'parameters '}must be a valid JSON object`)]
  return []
}

/** Validates a configuration, which is opaque to all but its driver. */
export function validateConfiguration({ opaque }: DeviceConfiguration, stored: boolean, release: Release, path: FieldPath): FieldError[] {
  const at = path.child('opaque')
  if (!opaque) return [required(at)]
  return [
    ...validateDriverName(opaque.driver, at.child('driver'), release),
    ...validateRaw(opaque.parameters, stored, release, at.child('parameters')),
  ]
}
