import { expect } from 'chai'
import { addDefaultTolerations, mountServiceAccountToken, setServiceAccount, tolerateMemoryPressure } from '../../../../../src/resources/core/pod/admission.ts'
import { podWith } from '../../../../support/pod.ts'

const toleration = (name: string) => ({ key: `node.kubernetes.io/${name}`, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 })

const SECONDS = { notReady: 300, unreachable: 300 }

describe('resources/core/pod/admission', () => {
  it('tolerates nodes that are gone, for a while', () => {
    const pod = podWith({})
    addDefaultTolerations(pod, SECONDS)
    addDefaultTolerations(pod, SECONDS)
    expect(pod.spec.tolerations).to.deep.equal([toleration('not-ready'), toleration('unreachable')])
  })

  it('adds nothing to what tolerates everything', () => {
    const pod = podWith({ tolerations: [{ operator: 'Exists' }] })
    addDefaultTolerations(pod, SECONDS)
    expect(pod.spec.tolerations).to.have.length(1)
  })

  it('tolerates memory pressure where something is requested', () => {
    const pod = podWith({})
    tolerateMemoryPressure(pod, 'BestEffort')
    expect(pod.spec).not.to.have.property('tolerations')
    tolerateMemoryPressure(pod, 'Burstable')
    expect(pod.spec.tolerations).to.deep.equal([{ key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' }])
  })

  it('gives a pod an account, but no mirror of one', () => {
    const pod = podWith({})
    setServiceAccount(pod)
    expect(pod.spec).to.include({ serviceAccountName: 'default', serviceAccount: 'default' })
    const mirror = podWith({}, { annotations: { 'kubernetes.io/config.mirror': 'x' } })
    setServiceAccount(mirror)
    expect(mirror.spec).not.to.have.property('serviceAccountName')
  })

  it('mounts a token, unless asked not to', () => {
    const pod = podWith({})
    mountServiceAccountToken(pod, 'abcde', true)
    expect(pod.spec.volumes[0].name).to.equal('kube-api-access-abcde')
    expect(pod.spec.containers[0].volumeMounts).to.deep.equal([
      { name: 'kube-api-access-abcde', readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' },
    ])
    const without = podWith({ automountServiceAccountToken: false })
    mountServiceAccountToken(without, 'abcde', true)
    expect(without.spec).not.to.have.property('volumes')
  })
})
