import { expect } from 'chai'
import type { JsonObject } from '../../../../../src/api/meta/object.ts'
import { StageSet } from '../../../../../src/cluster/kwok/stages/stage-set.ts'
import { runAtOnce } from '../../../../../src/lib/steps.ts'

const stage = (name: string, kind: string, spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'kwok.x-k8s.io/v1alpha1',
  kind: 'Stage',
  metadata: { name },
  spec: { resourceRef: { apiGroup: 'v1', kind }, ...spec },
})
const namesOf = ({ stages }: StageSet): string[] => stages.map(({ name }) => name)

describe('the stages that take effect', () => {
  let set: StageSet
  const put = (name: string, object: JsonObject): ReadonlySet<string> => runAtOnce(set.put(name, object))
  beforeEach(() => {
    set = new StageSet([stage('node-initialize', 'Node'), stage('pod-ready', 'Pod'), stage('pod-delete', 'Pod')])
  })

  it('are the built-in ones, until a kind has stages of users', () => {
    expect(namesOf(set)).to.deep.equal(['node-initialize', 'pod-ready', 'pod-delete'])
    expect([...put('slow', stage('slow', 'Pod'))]).to.deep.equal(['v1/Pod'])
    put('early', stage('early', 'Pod'))
    expect(namesOf(set)).to.deep.equal(['node-initialize', 'early', 'slow'])
    set.remove('slow')
    expect([...set.remove('early')]).to.deep.equal(['v1/Pod'])
    expect(namesOf(set)).to.deep.equal(['node-initialize', 'pod-ready', 'pod-delete'])
  })

  it('do not include an invalid Stage, even if it was valid before', () => {
    put('slow', stage('slow', 'Pod'))
    expect([...put('slow', stage('slow', 'Pod', { steps: [{ patch: { template: '{{ if }}' } }] }))]).to.deep.equal(['v1/Pod'])
    expect(set.fault('slow')).to.match(/^Stage "slow" is invalid: spec\.steps\[0\]\.patch\.template: /)
    expect(namesOf(set)).to.include('pod-ready')
    put('slow', stage('slow', 'Pod'))
    expect(set.fault('slow')).to.equal(undefined)
  })

  it('may be of any kind', () => {
    expect([
      ...put('bind', { ...stage('bind', 'Deployment'), spec: { resourceRef: { apiGroup: 'apps/v1', kind: 'Deployment' } } }),
    ]).to.deep.equal(['apps/v1/Deployment'])
    expect([set.kindOf('bind'), set.kindOf('none'), [...set.ownKinds]]).to.deep.equal([
      'apps/v1/Deployment',
      undefined,
      ['apps/v1/Deployment'],
    ])
  })

  it('change both kinds if a Stage moves from one to the other', () => {
    put('one', stage('one', 'Pod'))
    expect([...put('one', stage('one', 'Node'))]).to.deep.equal(['v1/Pod', 'v1/Node'])
  })

  it('change when the last step of a Stage is done', () => {
    put('slow', stage('slow', 'Pod'))
    const steps = set.put('slow', stage('slow', 'Node', { steps: [{ delete: true }] }))
    expect(steps.next().done).to.equal(false)
    expect(set.kindOf('slow')).to.equal('v1/Pod')
    expect([...runAtOnce(steps)]).to.deep.equal(['v1/Pod', 'v1/Node'])
    expect(set.kindOf('slow')).to.equal('v1/Node')
  })
})
