import type { KubeObject, ManagedFieldsEntry } from '../api/meta/object.ts'
import type { AdmissionRequest } from '../registry/types.ts'

/** Validates managed fields. Returns structured-merge-diff's message, or undefined if they are valid. */
export function managersFault(entries: readonly ManagedFieldsEntry[] = []): string | undefined {
  for (const [i, { operation, apiVersion, fieldsType }] of entries.entries()) {
    if (operation !== 'Apply' && operation !== 'Update') return 'operation must be `Apply` or `Update`'
    if (!apiVersion) return 'apiVersion must not be empty'
    if (!fieldsType) return `missing fieldsType in managed fields entry ${i}`
    if (fieldsType !== 'FieldsV1') return `invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${i}`
  }
  return undefined
}

/** Restores the previous managed fields, with a warning, if a webhook or policy made them invalid. */
export function withValidManagers({ object, ctx }: AdmissionRequest, next: KubeObject): KubeObject {
  const fault = managersFault(next.metadata?.managedFields)
  if (fault === undefined) return next
  ctx.warn(
    `.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ${fault}`,
  )
  const { managedFields: _, ...metadata } = next.metadata
  const before = object?.metadata.managedFields
  return { ...next, metadata: { ...metadata, ...(before && { managedFields: before }) } }
}
