import type { ManagedFieldsEntry } from '../../meta/object.ts'

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
