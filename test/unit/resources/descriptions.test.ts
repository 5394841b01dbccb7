import { expect } from 'chai'
import type { StructSchema } from '../../../src/schema/schema.ts'
import { servedBuiltins } from '../../support/served-builtins.ts'

const GATES = ['ClusterTrustBundle', 'StorageVersionMigrator']
const versions = servedBuiltins({ 'api/all': true }, Object.fromEntries(GATES.map(gate => [gate, true]))).flatMap(({ versions }) => versions)

function undescribed(schema: StructSchema, path: string): string[] {
  return [...schema.fields].flatMap(([name, field]) => {
    const at = `${path}.${name}`
    const inner = (name === 'spec' || name === 'status') && field.schema.type === 'struct' ? undescribed(field.schema, at) : []
    return [...(field.description === undefined ? [at] : []), ...inner]
  })
}

/** What `kubectl explain` has to tell of a kind, and of its spec and status. */
describe('every kind is described', () => {
  for (const { group, name, kind, schema } of versions)
    it(`${group}/${name} ${kind}`, () => {
      expect(schema.description ?? '').not.to.equal('')
      expect(undescribed(schema, kind)).to.deep.equal([])
    })
})
