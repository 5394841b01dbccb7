import { expect } from 'chai'
import type { JsonObject } from '../../../../../src/api/meta/object.ts'
import { StageSet } from '../../../../../src/cluster/kwok/stages/stage-set.ts'

const stage = (name: string, kind: string, spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'kwok.x-k8s.io/v1alpha1',
  kind: 'Stage',
  metadata: { name },
  spec: { resourceRef: { apiGroup: 'v1', kind }, ...spec },
})
const namesOf = ({ stages }: StageSet): string[] => stages.map(({ name }) => name)

describe('the stages that take effect', () => {
  let set: StageSet
  beforeEach(() => {
    set = new StageSet([stage('node-initialize', 'Node'), stage('pod-ready', 'Pod'), stage('pod-delete', 'Pod')])
  })

  it('are the built-in ones, until a kind has stages of users', () => {
    expect(namesOf(set)).to.deep.equal(['node-initialize', 'pod-ready', 'pod-delete'])
    expect([...set.put('slow', stage('slow', 'Pod'))]).to.deep.equal(['v1/Pod'])
    set.put('early', stage('early', 'Pod'))
    expect(namesOf(set)).to.deep.equal(['node-initialize', 'early', 'slow'])
    set.remove('slow')
    expect([...set.remove('early')]).to.deep.equal(['v1/Pod'])
    expect(namesOf(set)).to.deep.equal(['node-initialize', 'pod-ready', 'pod-delete'])
  })

  it('do not include an invalid Stage, even if it was valid before', () => {
    set.put('slow', stage('slow', 'Pod'))
    expect([...set.put('slow', stage('slow', 'Pod', { steps: [{ patch: { template: '{{ if }}' } }] }))]).to.deep.equal(['v1/Pod'])
    expect(set.fault('slow')).to.match(/^Stage "slow" is invalid: spec\.steps\[0\]\.patch\.template: /)
    expect(namesOf(set)).to.include('pod-ready')
    set.put('slow', stage('slow', 'Pod'))
    expect(set.fault('slow')).to.equal(undefined)
  })

  it('do not include a Stage of a kind that is not simulated', () => {
    expect([...set.put('bind', stage('bind', 'PersistentVolume'))]).to.deep.equal([])
    expect(set.fault('bind')).to.equal('stages of v1/PersistentVolume are not played: simulated nodes play those of v1/Node and v1/Pod')
  })

  it('change both kinds if a Stage moves from one to the other', () => {
    set.put('one', stage('one', 'Pod'))
    expect([...set.put('one', stage('one', 'Node'))]).to.deep.equal(['v1/Pod', 'v1/Node'])
  })
})
