import { expect } from 'chai'
import { nodeRestriction } from '../../../../src/admission/plugins/node-restriction.ts'
import type { ServedResource } from '../../../../src/catalog/catalog.ts'
import type { AdmissionRequest } from '../../../../src/registry/types.ts'
import { refusal, TestRegistry, widgetResource } from '../../../support/test-registry.ts'

const t = new TestRegistry()

function request(group: string, plural: string, groups: readonly string[]): AdmissionRequest {
  const definition = widgetResource({ version: { group, names: { plural, singular: plural.slice(0, -1) } } })
  const served: ServedResource = { definition, version: definition.hub }
  const target = t.target('a')
  return { ...target, served, operation: 'UPDATE', ctx: { ...target.ctx, user: { name: 'system:node:n', groups } } }
}

describe('the stand-in for NodeRestriction', () => {
  it('lets nodes write nothing of what the plugin would look at', async () => {
    for (const [group, plural] of [
      ['', 'pods'],
      ['', 'nodes'],
      ['coordination.k8s.io', 'leases'],
    ] as const) {
      const asked = request(group, plural, ['system:nodes', 'system:authenticated'])
      expect(nodeRestriction.handles(asked), plural).to.equal(true)
      expect((await refusal(Promise.resolve(nodeRestriction.validate?.(asked)))).status.code).to.equal(403)
    }
  })

  it('leaves others, and everything else, alone', () => {
    expect(nodeRestriction.handles(request('', 'pods', ['system:authenticated']))).to.equal(false)
    expect(nodeRestriction.handles(request('', 'configmaps', ['system:nodes']))).to.equal(false)
  })
})
