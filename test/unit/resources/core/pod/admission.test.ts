import { expect } from 'chai'
import { addDefaultTolerations } from '../../../../../src/resources/core/pod/admission.ts'
import { podWith } from '../../../../support/pod.ts'

const toleration = (name: string) => ({
  key: `node.kubernetes.io/${name}`,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 300,
})

const SECONDS = { notReady: 300, unreachable: 300 }

describe('resources/core/pod/admission', () => {
  it('tolerates unready and unreachable nodes for a time', () => {
    const pod = podWith({})
    addDefaultTolerations(pod.spec, SECONDS)
    addDefaultTolerations(pod.spec, SECONDS)
    expect(pod.spec.tolerations).to.deep.equal([toleration('not-ready'), toleration('unreachable')])
  })

  it('adds nothing to a pod that tolerates everything', () => {
    const pod = podWith({ tolerations: [{ operator: 'Exists' }] })
    addDefaultTolerations(pod.spec, SECONDS)
    expect(pod.spec.tolerations).to.have.length(1)
  })
})
