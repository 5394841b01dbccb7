import { expect } from 'chai'
import type { Pod } from '../../../../../src/api/core/v1.types.ts'
import { podBehavior } from '../../../../../src/cluster/nodes/pod-life/behavior.ts'

const PREFIX = 'kubelet.binnacle.dev/'
const prefixed = (annotations: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(annotations).map(([name, value]) => [PREFIX + name, value]))

function podWith(annotations: Record<string, string>): Pod {
  const made: unknown = {
    metadata: { name: 'p', annotations: prefixed(annotations) },
    spec: { containers: [{ name: 'c', image: 'web:1' }], initContainers: [{ name: 'i', image: 'init:1' }] },
  }
  return made as Pod
}

describe('annotations about the behavior of a pod', () => {
  it('precede those of the pod for a container, and those of the node for the pod', () => {
    const runFor = (pod: Record<string, string>, node: Record<string, string> = {}): (number | undefined)[] => {
      const behavior = podBehavior(podWith(pod), prefixed(node))
      return ['c', 'i'].map(name => behavior.of(name).runFor)
    }
    expect(runFor({}, { 'run-for': '3s' })).to.deep.equal([3000, undefined])
    expect(runFor({ 'run-for': '2s' }, { 'run-for': '3s' })).to.deep.equal([2000, undefined])
    expect(runFor({ 'run-for': '2s', 'run-for.c': '1s', 'run-for.i': '4s' })).to.deep.equal([1000, 4000])
  })

  it('name images that are missing', () => {
    const failures = (images: string): unknown[] =>
      ['c', 'i'].map(name => podBehavior(podWith({ 'missing-images': images })).of(name).failure)
    expect([failures('web:1'), failures('web*, init:2'), failures('web'), failures('*')]).to.deep.equal([
      ['ImagePull', undefined],
      ['ImagePull', undefined],
      [undefined, undefined],
      ['ImagePull', 'ImagePull'],
    ])
  })

  it('have default times and codes by failure', () => {
    const { runFor, exitCode, exitReason } = podBehavior(podWith({ failure: 'OOMKilled' })).of('c')
    expect([runFor, exitCode, exitReason]).to.deep.equal([1000, 137, 'OOMKilled'])
  })

  it('name probes that fail', () => {
    const behavior = podBehavior(podWith({ 'failing-probes.c': 'liveness, readiness', 'failing-probes.i': 'aliveness' }))
    expect(['c', 'i'].map(name => behavior.of(name).failingProbes)).to.deep.equal([['liveness', 'readiness'], []])
    expect(behavior.faults).to.deep.equal([
      `annotation ${PREFIX}failing-probes.i: "aliveness" is not a list of startup, liveness, readiness`,
    ])
  })

  it('are not needed for containers that run to completion: of Jobs, hooks of Helm, and pods of a controller that are never restarted', () => {
    const runFor = (metadata: object, restartPolicy = 'Always'): unknown[] => {
      const pod = podWith({})
      const behavior = podBehavior({ metadata: { ...pod.metadata, ...metadata }, spec: { ...pod.spec, restartPolicy } as Pod['spec'] })
      return ['c', 'i'].map(name => behavior.of(name).runFor)
    }
    const ownedBy = (kind: string) => ({ ownerReferences: [{ apiVersion: 'a/v1', kind, name: 'o', uid: 'u', controller: true }] })
    expect(runFor(ownedBy('Job'), 'OnFailure')).to.deep.equal([0, undefined])
    expect(runFor(ownedBy('TaskRun'), 'Never')).to.deep.equal([0, undefined])
    expect(runFor({ annotations: { 'helm.sh/hook': 'test' } })).to.deep.equal([0, undefined])
    expect(runFor(ownedBy('ReplicaSet'))).to.deep.equal([undefined, undefined])
    expect(runFor({}, 'Never')).to.deep.equal([undefined, undefined])
  })

  it('that cannot be used are named, and have no effect', () => {
    const behavior = podBehavior(podWith({ 'run-for': 'soon', 'exit-code': '256', failure: 'Flood', 'stop-after': '-1s' }))
    expect(behavior.of('c')).to.include({ runFor: undefined, exitCode: 0, failure: undefined })
    expect(behavior.faults).to.have.members([
      `annotation ${PREFIX}failure: "Flood" is not one of ImagePull, CreateContainerConfigError, CrashLoop, OOMKilled, NotReady`,
      `annotation ${PREFIX}run-for: "soon" is not a duration such as 500ms or 1m30s`,
      `annotation ${PREFIX}exit-code: "256" is not an exit code between 0 and 255`,
      `annotation ${PREFIX}stop-after: "-1s" is not a duration such as 500ms or 1m30s`,
    ])
  })
})
