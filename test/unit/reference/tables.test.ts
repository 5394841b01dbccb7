import { expect } from 'chai'
import type { ResourceDefinition } from '../../../src/catalog/definition.ts'
import { gatesOf } from '../../../src/lifecycle/feature-gates.ts'
import type { Release } from '../../../src/lifecycle/release.ts'
import { describeReference, referenceJson } from '../../support/reference.ts'
import { isIn } from '../../support/release-ranges.ts'
import { servedBuiltins } from '../../support/served-builtins.ts'

type Column = readonly [name: string, type: string, format: string, priority: number]

interface Facts {
  /** By kind, and by ranges of releases. */
  readonly tables: Readonly<Record<string, Readonly<Record<string, readonly Column[]>>>>
}

const MINORS = Array.from({ length: 10 }, (_, i) => 24 + i)
/**
 * Kinds whose alpha versions of early releases are not here, and one of which the reference has the first columns only.
 */
const OTHER_KINDS = ['ResourceClaim', 'ResourceClaimTemplate', 'ResourceSlice', 'CSIDriver']

const columnsOf = ({ hub }: ResourceDefinition): Column[] | undefined =>
  hub.table?.columns.map(({ name, type, format = '', priority = 0 }) => [name, type, format, priority])

describeReference('tables of each release beside the reference', () => {
  const { tables } = referenceJson('releases/behaviour.json') as Facts
  for (const minor of MINORS) {
    const release: Release = `1.${minor}`
    it(`have the columns of ${release}`, () => {
      const gates = 'ClusterTrustBundle' in gatesOf(release) ? { ClusterTrustBundle: true } : {}
      const definitions = servedBuiltins({ 'api/all': true }, gates, ['10.0.0.0/24'], release)
      const different = definitions.flatMap(definition => {
        const { kind } = definition.hub
        const expected = Object.entries(tables[kind] ?? {}).find(([ranges]) => isIn(ranges, minor))?.[1]
        const ours = columnsOf(definition)
        if (!expected || !ours || definition.internal || OTHER_KINDS.includes(kind) || JSON.stringify(ours) === JSON.stringify(expected))
          return []
        return [`${kind}: ${JSON.stringify(ours)}, not ${JSON.stringify(expected)}`]
      })
      expect(different).to.deep.equal([])
    })
  }
})
