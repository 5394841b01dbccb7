import { expect } from 'chai'
import type { JsonObject } from '../../../src/api/meta/object.ts'
import { migratedFields } from '../../../src/check/migrated-fields.ts'

const entry = (manager: string, operation: string, fieldsV1: JsonObject, more: JsonObject = {}): JsonObject => ({
  manager,
  operation,
  apiVersion: 'v1',
  fieldsType: 'FieldsV1',
  fieldsV1,
  ...more,
})
const object = (...managedFields: JsonObject[]): JsonObject => ({ metadata: { managedFields } })
const annotated = { 'f:annotations': { 'f:kubectl.kubernetes.io/last-applied-configuration': {} } }

describe('migrated fields', () => {
  it('belong to the apply of the manager that wrote them, united with those that it applied', () => {
    const applied = entry('kubectl', 'Apply', { 'f:data': { 'f:a': {} } })
    const written = entry('kubectl', 'Update', { 'f:data': { 'f:b': {} } })
    const other = entry('hpa', 'Update', { 'f:spec': {} })
    expect(migratedFields(object(applied, written, other), 'kubectl')).to.deep.equal([
      other,
      entry('kubectl', 'Apply', { 'f:data': { 'f:a': {}, 'f:b': {} } }),
    ])
  })

  it('include those of a client-side apply under any name', () => {
    const written = entry('kubectl-client-side-apply', 'Update', { 'f:metadata': annotated, 'f:data': {} })
    expect(migratedFields(object(written), 'kubectl')).to.deep.equal([entry('kubectl', 'Apply', { 'f:metadata': annotated, 'f:data': {} })])
  })

  it('leave other managers and subresources alone', () => {
    const scaled = entry('kubectl', 'Update', { 'f:spec': {} }, { subresource: 'scale' })
    const edited = entry('kubectl-edit', 'Update', { 'f:spec': {} })
    expect(migratedFields(object(scaled, edited, entry('kubectl', 'Apply', {})), 'kubectl')).to.equal(undefined)
    expect(migratedFields({}, 'kubectl')).to.equal(undefined)
  })
})
