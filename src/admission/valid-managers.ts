import type { KubeObject, ManagedFieldsEntry } from '../meta/object.ts'
import type { AdmissionRequest } from '../registry/types.ts'

/** What is wrong with managed fields, in the words of structured-merge-diff's users; undefined where they can be read. */
export function managersFault(entries: readonly ManagedFieldsEntry[] = []): string | undefined {
  for (const [i, { operation, apiVersion, fieldsType }] of entries.entries()) {
    if (operation !== 'Apply' && operation !== 'Update') return 'operation must be `Apply` or `Update`'
    if (!apiVersion) return 'apiVersion must not be empty'
    if (!fieldsType) return `missing fieldsType in managed fields entry ${i}`
    if (fieldsType !== 'FieldsV1') return `invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${i}`
  }
  return undefined
}

/** The object as webhooks or policies have made it: managed fields that they have broken are those of before, with a warning. */
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
