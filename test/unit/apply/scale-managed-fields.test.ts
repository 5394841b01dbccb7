import { expect } from 'chai'
import type { JsonObject, ManagedFieldsEntry } from '../../../src/api/meta/object.ts'
import { fromScaleManagedFields, toScaleManagedFields } from '../../../src/apply/scale-managed-fields.ts'

const paths = new Map([
  ['apps/v1', ['spec', 'replicas']],
  ['apps/v0', ['spec', 'size']],
])
const entry = (
  manager: string,
  operation: 'Apply' | 'Update',
  apiVersion: string,
  spec: JsonObject,
  more: Partial<ManagedFieldsEntry> = {},
): ManagedFieldsEntry => ({
  manager,
  operation,
  apiVersion,
  time: '2026-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:spec': spec },
  ...more,
})
const untimed = ({ time: _, ...rest }: ManagedFieldsEntry): ManagedFieldsEntry => rest

describe('managed fields through scale', () => {
  const applier = entry('a', 'Apply', 'apps/v1', { 'f:paused': {}, 'f:replicas': {} })
  const older = entry('o', 'Apply', 'apps/v0', { 'f:size': {} })
  const updater = entry('u', 'Update', 'apps/v1', { 'f:paused': {}, 'f:replicas': {} })

  it('become those of spec.replicas if the parent owns them', () => {
    const other = entry('x', 'Update', 'apps/v1', { 'f:paused': {} })
    const gone = entry('g', 'Apply', 'apps/v9', { 'f:replicas': {} })
    expect(toScaleManagedFields([applier, older, updater, other, gone], paths)).to.deep.equal([
      entry('a', 'Apply', 'autoscaling/v1', { 'f:replicas': {} }),
      entry('o', 'Apply', 'autoscaling/v1', { 'f:replicas': {} }),
      entry('u', 'Update', 'autoscaling/v1', { 'f:replicas': {} }),
    ])
  })

  it('stay with an applier that keeps its value', () => {
    const scale = toScaleManagedFields([applier, older], paths)
    expect(fromScaleManagedFields([applier, older], scale, 'apps/v1', paths)).to.deep.equal([applier, older])
  })

  it('move to the manager that scales', () => {
    const scale = [entry('s', 'Update', 'autoscaling/v1', { 'f:replicas': {} }, { subresource: 'scale' })]
    expect(fromScaleManagedFields([applier, older, updater], scale, 'apps/v1', paths)).to.deep.equal([
      entry('a', 'Apply', 'apps/v1', { 'f:paused': {} }),
      untimed(entry('s', 'Update', 'apps/v1', { 'f:replicas': {} }, { subresource: 'scale' })),
      entry('u', 'Update', 'apps/v1', { 'f:paused': {} }),
    ])
  })

  it('drop versions that are not served', () => {
    expect(fromScaleManagedFields([entry('g', 'Apply', 'apps/v9', { 'f:paused': {} })], [], 'apps/v1', paths)).to.deep.equal([])
  })
})
