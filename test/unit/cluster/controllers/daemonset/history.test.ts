import { expect } from 'chai'
import type { ControllerRevision } from '../../../../../src/api/apps/v1.types.ts'
import { labelled } from '../../../../../src/cluster/controllers/daemonset/history.ts'
import { countedSteps } from '../../../../support/counted-steps.ts'

describe('revision of a daemon set without a hash', () => {
  it('gets its name as the label, in steps if it has very many', () => {
    const labels = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, 'v']))
    const revision: ControllerRevision = {
      kind: 'ControllerRevision',
      apiVersion: 'apps/v1',
      metadata: { name: 'd-1', labels },
      data: {},
      revision: 1,
    }
    const { result, yields } = countedSteps(labelled(revision))
    expect(yields).to.be.at.least(Math.floor(20_000 / 512))
    expect(result).to.deep.equal({ ...revision, metadata: { name: 'd-1', labels: { ...labels, 'controller-revision-hash': 'd-1' } } })
    expect(labels).not.to.have.property('controller-revision-hash')
    const { metadata } = countedSteps(labelled({ ...revision, metadata: { name: 'd-2' } })).result
    expect(metadata.labels).to.deep.equal({ 'controller-revision-hash': 'd-2' })
  })
})
